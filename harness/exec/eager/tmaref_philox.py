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

    def numbers(self, seed, offset, of_words):
        """`count` numbers, in the order of the elements. of_words makes `unroll` tensors of four tensors of words."""
        torch, parts = self.torch, []
        thread, key = torch.arange(self.threads, dtype=torch.int64), (seed & MASK, seed >> 32)
        for call in range(offset // DRAWN, offset // DRAWN + self.calls):
            counter = (torch.full_like(thread, call & MASK), call >> 32, thread, 0)
            parts.extend(of_words(torch, *philox(counter, key)))
        return torch.cat(parts)[: self.count]


def words32(torch, *words):
    return words


def words64(torch, x, y, z, w):
    """Two numbers of 64 bits, as s64 with the same bits."""
    return (x << 32) | y, (z << 32) | w


def _floats(torch, word, unit):
    """(word + 1/2) * unit, rounded once to f32."""
    return (word.double() * unit + unit / 2).float()


def uniform32(torch, *words):
    return [word.float() * 2**-32 + 2**-33 for word in words]


def _doubles(x, y):
    return (x ^ (y << 21)).double()


def uniform64(torch, x, y, z, w):
    return [_doubles(*pair) * 2**-53 + 2**-54 for pair in ((x, y), (z, w))]


def normal32(torch, x, y, z, w):
    turn = float(torch.tensor(2 * math.pi, dtype=torch.float32)) * 2**-32
    out = []
    for first, second in ((x, y), (z, w)):
        size, angle = (uniform32(torch, first)[0].log() * -2).sqrt(), _floats(torch, second, turn)
        out.extend((angle.sin() * size, angle.cos() * size))
    return out


def normal64(torch, x, y, z, w):
    size, angle = (uniform64(torch, x, y, z, w)[0].log() * -2).sqrt(), (_doubles(z, w) * 2**-52 + 2**-53) * math.pi
    return angle.sin() * size, angle.cos() * size


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
    unroll, of_words, values = filler
    draw, offset = Draw(torch, out.numel(), threads, unroll), generator.get_offset()
    made = values(draw.numbers(generator.initial_seed(), offset, of_words))
    generator.set_offset(offset + draw.advance())
    place = in_order(out)
    place.copy_(made.reshape(place.shape))
