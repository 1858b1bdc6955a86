// SPDX-License-Identifier: MIT
// A tile as meant, and what is done in its place.
#include <string.h>

#include "mistakes.h"

static uint8_t file_room[TRIAL_TENSOR_BYTES], global_room[TRIAL_TENSOR_BYTES], other_room[TRIAL_TENSOR_BYTES];
static uint8_t shared_room[TRIAL_SHARED_BYTES], before_room[TRIAL_TENSOR_BYTES];
static uint8_t first_file[TRIAL_TENSOR_BYTES], first_shared[TRIAL_SHARED_BYTES]; // as they were drawn

uint64_t dice_below(struct dice *dice, uint64_t sides)
{
    dice->state += 0x9e3779b97f4a7c15;
    uint64_t x = dice->state;
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93;
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93;
    return (x ^ x >> 32) % sides;
}

// Values as tensors have them: about normal, counted up, or small integers.
static void draw_values(struct dice *dice, enum field_type type, uint8_t *to, uint64_t count)
{
    uint32_t element = field_element_bytes(type);
    uint64_t kind = dice_below(dice, 10);
    for (uint64_t n = 0; n < count / element; n++) {
        uint64_t roll = dice_below(dice, UINT64_MAX);
        double sum = -2 * 65536;
        for (int i = 0; i < 4; i++) sum += (double)(roll >> 16 * i & 0xffff);
        sum = kind >= 8 ? (double)(roll % 11) - 5 : sum / 32768;
        uint64_t bits = type == FIELD_U8 ? roll % (kind >= 8 ? 11 : 256) : field_bits(type, sum, false);
        if (kind == 0) bits = n;
        memcpy(to + n * element, &bits, element);
    }
}

static void draw_shape(struct trial *trial, struct dice *dice)
{
    struct field *field = &trial->meant;
    int element, row;
    field->type =
        (enum field_type[]){FIELD_F16, FIELD_BF16, FIELD_F16, FIELD_BF16, FIELD_F32, FIELD_U8}[dice_below(dice, 6)];
    element = (int)field_element_bytes(field->type);
    field->dims = dice_below(dice, 4) == 0 ? 3 : 2;
    field->span = (int[]){0, 32, 64, 128, 128, 128}[dice_below(dice, 6)];
    row = field->span > 0 ? field->span : 16 << dice_below(dice, 4);
    if (field->span > 0 && dice_below(dice, 8) == 0) row /= 2; // rows with gaps
    int box[3] = {row / element, 8 << dice_below(dice, 3), dice_below(dice, 3) == 0 ? 2 : 1};
    int tiles[3] = {2 + (int)dice_below(dice, 4), 2 + (int)dice_below(dice, 4), 3};
    for (int i = 0; i < 3; i++) {
        field->box[i] = box[i];
        field->every[i] = 1;
        field->extent[i] = box[i] * tiles[i] + (int)dice_below(dice, 2) * 16 / (i == 0 ? element : 4);
        field->at[i] = box[i] * (int)dice_below(dice, (uint64_t)tiles[i]);
    }
    if (dice_below(dice, 6) == 0) field->at[1] += (int)dice_below(dice, 5);
    field->pitch[0] = element;
    field->pitch[1] = (field->extent[0] * element + 15) / 16 * 16 + (int64_t)dice_below(dice, 2) * 16 * 3;
    field->pitch[2] = field->pitch[1] * field->extent[1];
    field->address = 0x7f0000000000 + 256 * dice_below(dice, 999);
    field->shared = TRIAL_SHARED_FIRST + 0x2000 + 1024 * (uint32_t)dice_below(dice, 4);
    trial->slices = dice_below(dice, 5) == 0 ? 2 << dice_below(dice, 2) : 1;
    trial->slice_dim = 1;
}

static uint64_t file_bytes(const struct field *field)
{
    int64_t bytes = field->pitch[0];
    for (int i = 0; i < field->dims; i++) bytes += (field->extent[i] - 1) * field->pitch[i];
    return (uint64_t)bytes;
}

static uint32_t slice_bytes(const struct field *field)
{
    return (field_box_bytes(field) + 127) / 128 * 128;
}

// What lay in shared memory (in the tensor, for a store) before: rubbish, one byte everywhere, or an earlier tile.
static void draw_before(struct trial *trial, struct dice *dice)
{
    static const uint8_t values[] = {0, 0, 0xcd, 0xff, 0x3f};
    uint64_t kind = dice_below(dice, 3);
    struct bytes *before = &trial->before;
    uint8_t value = values[dice_below(dice, 5)];
    draw_values(dice, trial->meant.type, before->at, before->count);
    if (kind == 1) memset(before->at, value, before->count);
    if (kind != 2 || trial->is_store) return;
    struct field earlier = trial->meant;
    for (int i = 0; i < earlier.dims; i++)
        earlier.at[i] = earlier.box[i] * (int64_t)dice_below(dice, (uint64_t)(earlier.extent[i] / earlier.box[i]));
    for (int s = 0; s < trial->slices; s++) {
        field_load(&earlier, &trial->file, before);
        earlier.at[1] += earlier.box[1];
        earlier.shared += slice_bytes(&earlier);
    }
}

void trial_draw(struct trial *trial, uint64_t seed, bool is_store)
{
    struct dice dice = {seed * 0x100000001b3 + 77};
    *trial = (struct trial){.is_store = is_store};
    do draw_shape(trial, &dice);
    while (file_bytes(&trial->meant) > TRIAL_TENSOR_BYTES / 4);
    struct field *meant = &trial->meant;
    uint64_t count = file_bytes(meant), first = meant->shared - 2048;
    trial->file = (struct bytes){file_room, meant->address, count};
    trial->global = (struct bytes){global_room, meant->address, count};
    trial->other = (struct bytes){other_room, meant->address, count};
    trial->shared = (struct bytes){shared_room, TRIAL_SHARED_FIRST, TRIAL_SHARED_BYTES};
    trial->before = (struct bytes){before_room, TRIAL_SHARED_FIRST, TRIAL_SHARED_BYTES};
    draw_values(&dice, meant->type, file_room, count);
    memcpy(first_file, file_room, count);
    draw_values(&dice, meant->type, other_room, count > TRIAL_SHARED_BYTES ? count : TRIAL_SHARED_BYTES);
    if (is_store) {
        draw_values(&dice, meant->type, first_shared, TRIAL_SHARED_BYTES);
        trial->before = (struct bytes){before_room, meant->address, count};
    }
    draw_before(trial, &dice);
    trial->window = (struct bytes){shared_room + (first - TRIAL_SHARED_FIRST), first, 4096};
    trial->window.count += slice_bytes(meant) * (uint32_t)trial->slices;
}

static bool move(struct trial *trial)
{
    for (int place = 0; place < trial->slices; place++) {
        struct field slice = trial->done;
        if (trial->slot[place] < 0) continue; // never issued
        slice.at[trial->slice_dim] += (int64_t)trial->slot[place] * slice.box[trial->slice_dim];
        slice.shared += (uint32_t)place * slice_bytes(&trial->meant);
        if (slice.shared % 128 != 0) return false;
        if (trial->is_store && (slice.at[0] < 0 || slice.at[1] < 0)) return false;
        if (!(trial->is_store ? field_store(&slice, &trial->shared, &trial->global, trial->is_added)
                              : field_load(&slice, &trial->global, &trial->shared)))
            return false;
    }
    return true;
}

bool trial_do(struct trial *trial, uint64_t seed, const struct mistake *first, const struct mistake *second)
{
    const struct mistake *both[2] = {first, second};
    struct dice dice[2] = {{seed * 31 + 1}, {seed * 37 + 2}};
    trial->done = trial->meant;
    trial->is_added = false;
    trial->other_kind = OTHER_NONE;
    for (int s = 0; s < TRIAL_SLICES; s++) trial->slot[s] = s;
    trial->file.count = trial->global.count;
    memcpy(file_room, first_file, trial->file.count);
    memcpy(global_room, trial->is_store ? before_room : first_file, trial->file.count);
    memcpy(shared_room, trial->is_store ? first_shared : before_room, TRIAL_SHARED_BYTES);
    for (int i = 0; i < 2; i++)
        if (both[i] != NULL && both[i]->numbers != NULL && !both[i]->numbers(trial, &dice[i])) return false;
    for (int i = 0; i < 2; i++)
        if (both[i] != NULL && both[i]->bytes != NULL && !both[i]->bytes(trial, &dice[i])) return false;
    if (!move(trial)) return false;
    for (int i = 0; i < 2; i++)
        if (both[i] != NULL && both[i]->after != NULL && !both[i]->after(trial, &dice[i])) return false;
    if (trial->is_store) memcpy(shared_room, first_shared, TRIAL_SHARED_BYTES); // what the user thinks was there
    return true;
}
