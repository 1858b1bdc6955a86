// SPDX-License-Identifier: MIT
// Reads the question, and has the model answer each part of it. explain_layout_text.c and explain_layout_json.c show
// the answer.
#include "explain_layout.h"

#include <inttypes.h>
#include <stdio.h>

#include "command.h"
#include "json.h"
#include "map_options.h"
#include "near.h"
#include "parse_number.h"

uint64_t layout_descriptor(const struct layout_answer *answer)
{
    return wgmma_descriptor_pack(&answer->operand.descriptor);
}

static uint64_t at_most(uint64_t number, uint64_t most)
{
    return number < most ? number : most;
}

uint64_t layout_table_rows(const struct layout_answer *answer)
{
    return at_most(answer->size[0], LAYOUT_TABLE_ROWS);
}

uint64_t layout_table_columns(const struct layout_answer *answer)
{
    return answer->rank > 1 ? at_most(answer->size[1], LAYOUT_TABLE_COLUMNS) : 1;
}

uint64_t layout_table_index(const struct layout_answer *answer, uint64_t row, uint64_t column)
{
    const uint64_t coord[CUTE_MAX_LEAVES] = {row, column};
    return cute_index_at(&answer->layout, coord);
}

static int read_layout(struct layout_answer *answer)
{
    const char *text = answer->question->text;
    struct cute_error error;
    if (!cute_read(text, &answer->layout, &error))
        return command_usage("explain", "--layout: %s\n  %s\n  %*s^", error.why, text, error.column, "");
    cute_write(&answer->layout, answer->text);
    cute_coalesce(&answer->layout, &answer->coalesced);
    answer->rank = cute_rank(&answer->layout);
    for (int mode = 0; mode < answer->rank; mode++) answer->size[mode] = cute_mode_size(&answer->layout, mode);
    return EXIT_AGREE;
}

// With a type it is a layout of shared memory.
static int read_dtype(struct layout_answer *answer)
{
    const char *text = answer->question->dtype;
    if (text == NULL) return EXIT_AGREE;
    answer->dtype = dtype_find(text);
    if (answer->dtype == DTYPE_COUNT)
        return command_usage("explain", "--dtype %s: no data type of a tensor map%s", text, near_dtype(text).at);
    const uint32_t bytes = dtype_row(answer->dtype)->size_bytes;
    int modes = answer->question->modes != 0        ? answer->question->modes
                : answer->rank < TENSORMAP_MAX_RANK ? answer->rank
                                                    : TENSORMAP_MAX_RANK;
    answer->has_dtype = true;
    answer->has_box = cute_box_of(&answer->layout, answer->dtype, modes, &answer->box, &answer->no_box);
    answer->has_operand = cute_operand_of(&answer->layout, bytes, &answer->operand, &answer->no_operand);
    return EXIT_AGREE;
}

static int read_element(struct layout_answer *answer)
{
    int64_t element[CUTE_MAX_LEAVES];
    if (answer->question->element == NULL) return EXIT_AGREE;
    int status = index_read("explain", "element", answer->question->element,
                            &(struct indices){answer->rank, "the rank of the layout", 0, INT64_MAX}, element);
    for (int i = 0; i < answer->rank && status == EXIT_AGREE; i++) {
        answer->element[i] = (uint64_t)element[i];
        if (answer->element[i] >= answer->size[i])
            return command_usage("explain", "--element: mode %d has %" PRIu64 " elements, there is no %" PRIu64, i,
                                 answer->size[i], answer->element[i]);
    }
    answer->has_element = status == EXIT_AGREE;
    return status;
}

static int read_cta(struct layout_answer *answer)
{
    uint64_t number = answer->question->cta;
    if (!answer->question->has_cta) return EXIT_AGREE;
    if (number >= answer->all_tiles)
        return command_usage("explain", "--cta: there are %" PRIu64 " tiles, no CTA %" PRIu64, answer->all_tiles,
                             number);
    for (int i = 0; i < answer->rank; i++) {
        uint64_t step = i < answer->tile_rank ? answer->tile[i] : 1;
        answer->corner[i] = number % answer->tiles[i] * step;
        number /= answer->tiles[i];
    }
    return EXIT_AGREE;
}

static int read_tile(struct layout_answer *answer)
{
    struct cute_error error;
    struct text why;
    const char *text = answer->question->tile;
    if (text == NULL && answer->question->has_cta) return command_usage("explain", "--cta with --layout needs --tile");
    if (text == NULL) return EXIT_AGREE;
    int count = parse_u64_list(text, (uint64_t)1 << CUTE_MOST_LOG2, CUTE_MAX_LEAVES, answer->tile, &why);
    if (count == 0) return command_usage("explain", "--tile: %s", why.at);
    if (!cute_zipped_divide(&answer->layout, answer->tile, count, &answer->zipped, &error) ||
        !cute_tiled_divide(&answer->layout, answer->tile, count, &answer->tiled, &error))
        return command_usage("explain", "--tile: %s", error.why);
    answer->has_tile = true;
    answer->tile_rank = count;
    answer->all_tiles = 1;
    for (int i = 0; i < answer->rank; i++) {
        uint64_t step = i < count ? answer->tile[i] : 1;
        answer->tiles[i] = answer->size[i] / step + (answer->size[i] % step != 0);
        answer->all_tiles *= answer->tiles[i];
    }
    return read_cta(answer);
}

int explain_layout(const struct explain_layout *question)
{
    static struct layout_answer answer;
    answer = (struct layout_answer){.question = question};
    int status = read_layout(&answer);
    if (status == EXIT_AGREE) status = read_dtype(&answer);
    if (status == EXIT_AGREE) status = read_element(&answer);
    if (status == EXIT_AGREE) status = read_tile(&answer);
    if (status == EXIT_AGREE && question->wants_table && answer.rank > 2)
        status = command_usage("explain", "--table shows two modes: the layout has rank %d", answer.rank);
    if (status != EXIT_AGREE) return status;
    if (question->json)
        json_print(layout_json(&answer), JSON_INDENT(2));
    else
        layout_print(&answer);
    return answer.has_dtype && !answer.has_box ? EXIT_MISMATCH : EXIT_AGREE;
}
