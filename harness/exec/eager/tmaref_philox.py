# SPDX-License-Identifier: MIT
"""The random numbers of PyTorch's generator for CUDA, computed on the CPU.

PyTorch fills a tensor by a kernel whose thread t draws from cuRAND's Philox4x32-10 with the subsequence t. So a number depends on
the seed, the offset of the generator, the place of its element, and the number of threads that the GPU runs at a time.
philox() takes integers of Python too. Of the rest, torch is the only requirement.

Sources: Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3" (2011); cuRAND's curand_philox4x32_x.h, curand_uniform.h and
curand_normal.h; PyTorch's ATen/native/cuda/DistributionTemplates.h and ATen/core/TransformationHelper.h.
"""

import math

MASK = 0xFFFFFFFF
BLOCK = 256  # threads in each CTA of PyTorch's kernels
DRAWN = 4  # words of 32 bits that each call of a thread takes
AT_ONCE = 1 << 14  # threads whose words are computed together: they stay in a cache


def _product(a, b):
    """The upper and the lower word of a * b. It may wrap: the 64 bits are right all the same."""
    wide = a * b
    return (wide >> 32) & MASK, wide & MASK


def philox(counter, key):
    """Four words of 32 bits for a counter of four words and a key of two. A word is an int, or a tensor of s64."""
    for _ in range(10):
        high, low = _product(counter[0], 0xD2511F53)
        other_high, other_low = _product(counter[2], 0xCD9E8D57)
        counter = (other_high ^ counter[1] ^ key[0], other_low, high ^ counter[3] ^ key[1], low)
        key = ((key[0] + 0x9E3779B9) & MASK, (key[1] + 0xBB67AE85) & MASK)
    return counter


class Draw:
    """What one kernel of PyTorch draws for `count` elements.

    threads    that the GPU runs at a time
    unroll     numbers that a thread makes of the four words of a call: 4, or 2 of 64 bits
    """

    def __init__(self, torch, count, threads, unroll):
        self.torch, self.count, self.unroll = torch, count, unroll
        self.threads = min(-(-count // BLOCK) * BLOCK, threads)
        self.calls = -(-count // (self.threads * unroll))

    def advance(self):
        """By how much the generator's offset grows."""
        return self.calls * DRAWN

    def values(self, seed, offset, of_words, of_numbers, made):
        """Sets made[:count] in the order of the elements. of_words gives `unroll` tensors of numbers for four of words, one after the
        other; of_numbers makes values of them."""
        torch, key = self.torch, (seed & MASK, seed >> 32)
        rows = made.view(-1, self.threads)
        for call in range(self.calls):
            first, ours = offset // DRAWN + call, rows[call * self.unroll : (call + 1) * self.unroll]
            for begin in range(0, self.threads, AT_ONCE):
                thread = torch.arange(begin, min(begin + AT_ONCE, self.threads), dtype=torch.int64)
                words = philox((torch.full_like(thread, first & MASK), first >> 32, thread, 0), key)
                for row, numbers in zip(ours, of_words(torch, *words)):
                    row[begin : begin + AT_ONCE] = of_numbers(numbers)


def words32(torch, *words):
    yield from words


def words64(torch, x, y, z, w):
    """Two numbers of 64 bits, as s64 with the same bits."""
    yield (x << 32) | y
    yield (z << 32) | w


def _floats(torch, word, unit):
    """(word + 1/2) * unit, rounded once to f32."""
    return (word.double() * unit + unit / 2).float()


def uniform32(torch, *words):
    for word in words:
        yield word.float() * 2**-32 + 2**-33


def _doubles(x, y):
    return (x ^ (y << 21)).double()


def uniform64(torch, x, y, z, w):
    for pair in ((x, y), (z, w)):
        yield _doubles(*pair) * 2**-53 + 2**-54


def normal32(torch, x, y, z, w):
    turn = float(torch.tensor(2 * math.pi, dtype=torch.float32)) * 2**-32
    for first, second in ((x, y), (z, w)):
        size, angle = (next(uniform32(torch, first)).log() * -2).sqrt(), _floats(torch, second, turn)
        yield angle.sin() * size
        yield angle.cos() * size


def normal64(torch, x, y, z, w):
    size, angle = (next(uniform64(torch, x, y, z, w)).log() * -2).sqrt(), (_doubles(z, w) * 2**-52 + 2**-53) * math.pi
    yield angle.sin() * size
    yield angle.cos() * size


class Fillers:
    """PyTorch's operators that fill a tensor: each gives `unroll`, what makes numbers of words, and what makes values of these."""

    def __init__(self, torch):
        self.torch = torch

    def _real(self, out, narrow, wide):
        return (2, wide) if out.dtype == self.torch.float64 else (4, narrow)

    def _rounded(self, values, like):
        """f64 to the type in which CUDA computes: f32 but for f64."""
        return values if like.dtype == self.torch.float64 else values.float()

    def uniform_(self, out, begin=0.0, end=1.0):
        torch = self.torch
        begin, end = torch.tensor([begin, end], dtype=out.dtype)
        span = (end - begin).double()

        def values(numbers):
            made = self._rounded(numbers.double() * span + begin.double(), out).to(out.dtype)
            return torch.where(made == end, begin, made)

        return *self._real(out, uniform32, uniform64), values

    def normal_(self, out, mean=0.0, std=1.0):
        return *self._real(out, normal32, normal64), lambda numbers: self._rounded(numbers.double() * std + mean, out)

    def exponential_(self, out, rate=1.0):
        def values(numbers):
            half = self.torch.finfo(numbers.dtype).eps / 2
            return self.torch.where(numbers >= 1 - half, -half, numbers.log()) * (-1.0 / rate)

        return *self._real(out, uniform32, uniform64), values

    def bernoulli_float(self, out, p=0.5):
        def values(numbers):
            return numbers < self.torch.tensor(p, dtype=numbers.dtype)

        return *self._real(out, uniform32, uniform64), values

    def _top(self, kind):
        """One more than the largest whole number that is drawn for a type."""
        if kind == self.torch.bool:
            return 2
        if not kind.is_floating_point:
            return self.torch.iinfo(kind).max + 1
        return 2 ** (1 - round(math.log2(self.torch.finfo(kind).eps))) + 1

    def random_(self, out):
        if out.dtype in (self.torch.float64, self.torch.int64):
            return 2, words64, lambda numbers: self._modulo(numbers, self._top(out.dtype))
        return 4, words32, lambda numbers: numbers % self._top(out.dtype)

    def random_from(self, out, begin, end):
        span = (self._top(out.dtype) if end is None else end) - begin
        if span < 1 << 28:
            return 4, words32, lambda numbers: numbers % span + begin
        return 2, words64, lambda numbers: self._modulo(numbers, span) + begin

    def random_to(self, out, end):
        return self.random_from(out, 0, end)

    def by_operator(self):
        return {
            "uniform_": self.uniform_,
            "normal_": self.normal_,
            "exponential_": self.exponential_,
            "bernoulli_.float": self.bernoulli_float,
            "random_": self.random_,
            "random_.from": self.random_from,
            "random_.to": self.random_to,
        }

    def _modulo(self, numbers, span):
        """numbers % span of numbers without a sign, span <= 2^63: 2 * (n >> 1) + (n & 1), each step below the span."""
        lower = (1 << 63) - 1
        if span > lower:
            return numbers & lower
        rest = ((numbers >> 1) & lower) % span
        for added in (rest, numbers & 1):
            rest = self.torch.where(rest >= span - added, rest - (span - added), rest + added)
        return rest


def twin(torch, generator):
    """The CPU's generator for an operator whose numbers are not those of a GPU: it follows from the state of the one for CUDA, which
    goes on. None, the CPU's own, while a graph is captured: the state is closed then."""
    if generator.device.type != "cuda":
        return generator
    if torch.cuda.is_current_stream_capturing():
        return None
    offset = generator.get_offset()
    generator.set_offset(offset + DRAWN)
    return torch.Generator().manual_seed((generator.initial_seed() + offset) % 2**63)


def in_order(out):
    """The tensor with its dimensions from the largest stride to the smallest: CUDA's kernels count elements so."""
    return out.permute(sorted(range(out.dim()), key=lambda d: -out.stride(d)))


def fill(torch, filler, out, generator, threads):
    """Fills `out`, a tensor of the CPU, with what `filler` says; the generator for CUDA goes on."""
    unroll, of_words, of_numbers = filler
    draw, offset = Draw(torch, out.numel(), threads, unroll), generator.get_offset()
    made = torch.empty(draw.threads * -(-draw.count // draw.threads), dtype=out.dtype)
    threads_of_torch = torch.get_num_threads()
    torch.set_num_threads(1)  # for pieces this small its threads wait for each other longer than they compute
    try:
        draw.values(generator.initial_seed(), offset, of_words, of_numbers, made)
    finally:
        torch.set_num_threads(threads_of_torch)
    generator.set_offset(offset + draw.advance())
    place = in_order(out)
    place.copy_(made[: draw.count].reshape(place.shape))
