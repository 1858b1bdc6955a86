# SPDX-License-Identifier: MIT
"""PyTorch's own operators under `tmaref exec`.

PyTorch's wheel holds its CUDA operators as machine code alone, which nothing but a GPU runs. Memory of the simulated device is
memory of the host at the same address. So PyTorch's operators for the CPU compute on the same bytes, in the place of those
for CUDA. Kernels of the program's own, of Triton and of torch.compile run on the simulated GPU as ever.

PyTorch finds this module by its entry point of the group torch.backends when it is imported, and calls register().
Variables of the environment, set by `tmaref exec`:
    TMAREF_EAGER  "cpu" (default), or "refuse": leave PyTorch's operators alone, so that each returns 209
    TMAREF_QUIET  "1": do not say at the end which operators ran on the CPU
"""

import atexit
import collections
import ctypes
import os
import sys
import threading
import warnings

import tmaref_autotune
import tmaref_philox

# What only makes, shapes or moves memory: PyTorch's own code for CUDA does it without a kernel.
LEFT_ALONE = (
    "aten::empty", "aten::as_strided", "aten::view", "aten::_reshape_alias", "aten::resize_", "aten::set_", "aten::record_stream",
    "aten::is_set_to", "aten::_local_scalar_dense", "aten::is_pinned", "aten::_pin_memory", "aten::unfold", "aten::_efficientzerotensor",
    "aten::_has_same_storage_numel", "aten::view_as_real", "aten::view_as_complex", "aten::_cudnn", "aten::cudnn", "aten::miopen",
)  # fmt: skip

# What PyTorch composes of CUDA's own parts: as a whole it is one operator here.
WHOLE = ("aten::convolution", "aten::convolution_backward", "aten::copy_")

ran = collections.Counter()


def _is_left_alone(name):
    return any(name == begin or name.startswith((begin + ".", begin + "_")) for begin in LEFT_ALONE)


class _Cpu:
    """Makes tensors of the CPU that have the bytes of those of the GPU."""

    def __init__(self, torch):
        self.torch = torch

    def alias(self, tensor):
        torch = self.torch
        storage = tensor.untyped_storage()
        if storage.nbytes() == 0:
            return torch.empty_strided(tensor.size(), tensor.stride(), dtype=tensor.dtype)
        memory = (ctypes.c_char * storage.nbytes()).from_address(storage.data_ptr())
        flat = torch.frombuffer(memory, dtype=torch.uint8)
        same = torch.empty(0, dtype=tensor.dtype)
        same.set_(flat.untyped_storage(), tensor.storage_offset(), tensor.size(), tensor.stride())
        if tensor.is_conj():
            same = torch._conj(same)
        return torch._neg_view(same) if tensor.is_neg() else same

    def of(self, value, aliases):
        """The argument `value` with the CPU's tensors and device; aliases[id] has the GPU's of each."""
        torch = self.torch
        if isinstance(value, torch.Tensor):
            if not value.is_cuda:
                return value
            if value.layout != torch.strided:
                raise NotImplementedError(f"tmaref: PyTorch's operators on tensors of layout {value.layout} do not run here")
            same = self.alias(value)
            aliases[id(same)] = (same, value)
            return same
        if isinstance(value, (list, tuple)):
            return type(value)(self.of(one, aliases) for one in value)
        if isinstance(value, torch.device) and value.type == "cuda":
            return torch.device("cpu")
        if isinstance(value, torch.Generator):
            return tmaref_philox.twin(torch, value)
        return value

    def back(self, value, aliases, device):
        """A result as the GPU's: the argument that it is, or a copy in the GPU's memory."""
        torch = self.torch
        if isinstance(value, torch.Tensor):
            if id(value) in aliases:
                return self.adopt(*aliases[id(value)])
            if value.device.type != "cpu":
                return value
            view = self.view(value, aliases)
            return self.copy(value, device) if view is None else view
        if isinstance(value, (list, tuple)):
            return type(value)(self.back(one, aliases, device) for one in value)
        return value

    def view(self, value, aliases):
        """A result that lies in an argument's memory, as a view of that argument; None for any other."""
        where = value.untyped_storage().data_ptr()
        for same, tensor in aliases.values():
            if where != 0 and where == same.untyped_storage().data_ptr() and value.dtype == tensor.dtype:
                return self.torch.as_strided(tensor, value.size(), value.stride(), value.storage_offset())
        return None

    def adopt(self, same, tensor):
        """`tensor` again, resized where the operator resized its alias."""
        if same.size() != tensor.size():
            tensor.resize_(same.size())
            self.alias(tensor).copy_(same)
        return tensor

    def copy(self, value, device):
        torch = self.torch
        made = torch.empty_strided(value.size(), value.stride(), dtype=value.dtype, device=device)
        if value.numel() > 0:
            self.alias(made).copy_(value)
        return made


def _device_of(torch, values):
    for value in values:
        if isinstance(value, torch.Tensor) and value.is_cuda:
            return value.device
        if isinstance(value, torch.device) and value.type == "cuda":
            return value
        if isinstance(value, (list, tuple)):
            found = _device_of(torch, value)
            if found is not None:
                return found
    return None


class _Capture:
    """An operator that a stream captures: a host function of the graph. Its shapes are those that the operator has for tensors
    without memory (device meta)."""

    kept = []  # the functions of all graphs: nothing says when a graph ends

    def __init__(self, torch, cpu, name):
        self.torch, self.cpu, self.name = torch, cpu, name

    def shape(self, value, shapes):
        """The argument `value` without memory; shapes[id] has the real one of each tensor."""
        torch = self.torch
        if isinstance(value, torch.Tensor):
            same = torch.empty_strided(value.size(), value.stride(), dtype=value.dtype, device="meta")
            shapes[id(same)] = (same, value)
            return same
        if isinstance(value, (list, tuple)):
            return type(value)(self.shape(one, shapes) for one in value)
        if isinstance(value, torch.device):
            return torch.device("meta")
        return None if isinstance(value, torch.Generator) else value

    def real(self, value, shapes, device, made):
        """The GPU's tensor for a result without memory: an argument, or a new one, which `made` then has too."""
        torch = self.torch
        if isinstance(value, (list, tuple)):
            return type(value)(self.real(one, shapes, device, made) for one in value)
        if not isinstance(value, torch.Tensor):
            return value
        if id(value) in shapes:
            tensor = shapes[id(value)][1]
            return tensor if tensor.size() == value.size() else tensor.resize_(value.size())
        made.append(torch.empty_strided(value.size(), value.stride(), dtype=value.dtype, device=device))
        return made[-1]

    def flat(self, value):
        """The tensors of a result, one behind the other."""
        if isinstance(value, (list, tuple)):
            return [one for part in value for one in self.flat(part)]
        return [value] if isinstance(value, self.torch.Tensor) else []

    def add(self, call, on_the_cpu, given, device):
        torch, shapes, made = self.torch, {}, []
        arguments, named = given
        try:
            results = call([self.shape(one, shapes) for one in arguments], {k: self.shape(v, shapes) for k, v in named.items()})
        except (NotImplementedError, RuntimeError) as error:
            raise RuntimeError(
                f"tmaref: {self.name} of PyTorch cannot be captured into a graph: it runs on the CPU, and its results have no "
                f"shape before that ({str(error).splitlines()[0]}). torch.compile makes a kernel of it"
            ) from error
        real = self.real(results, shapes, device, made)
        used = on_the_cpu(arguments, named, {})
        to = [self.cpu.alias(one) for one in made]

        theirs = {id(one) for one in self.flat([*used[0], *used[1].values()])}

        def replay(_):
            with torch.no_grad():
                for into, value in zip(to, [one for one in self.flat(call(*used)) if id(one) not in theirs]):
                    into.copy_(value)

        self.enqueue(replay, device)
        return real

    def enqueue(self, replay, device):
        function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(replay)
        self.kept.append(function)
        stream = ctypes.c_void_p(self.torch.cuda.current_stream(device).cuda_stream)
        error = ctypes.CDLL("libcuda.so.1").cuLaunchHostFunc(stream, function, None)
        if error != 0:
            raise RuntimeError(f"tmaref: {self.name} of PyTorch cannot be captured into a graph: error {error}")


def _kernel(torch, cpu, name, operator, compute=None):
    """What runs in the place of CUDA's `operator`: the CPU's, or `compute` on the CPU's tensors."""
    tensors = [i for i, one in enumerate(operator._schema.arguments) if one.type.kind() == "TensorType"]

    def with_tensors(values):
        """PyTorch hands a number over as one, also where the operator takes a tensor."""
        numbers = [i for i in tensors if i < len(values) and isinstance(values[i], (bool, int, float, complex))]
        for i in numbers:
            values[i] = torch.scalar_tensor(values[i], dtype=torch.tensor(values[i]).dtype)
        return values

    def on_the_cpu(arguments, named, aliases):
        return [cpu.of(one, aliases) for one in arguments], {key: cpu.of(one, aliases) for key, one in named.items()}

    def call(on_cpu, named):
        with torch._C._AutoDispatchBelowAutograd(), torch._C._DisableTorchDispatch():
            return (compute or operator)(*with_tensors(on_cpu), **named)

    def run(*arguments, **named):
        device = _device_of(torch, (*arguments, *named.values())) or torch.device("cuda", torch.cuda.current_device())
        ran[name] += 1
        if torch.cuda.is_current_stream_capturing():
            return _Capture(torch, cpu, name).add(call, on_the_cpu, (arguments, named), device)
        aliases = {}
        torch.cuda.current_stream(device).synchronize()
        return cpu.back(call(*on_the_cpu(arguments, named, aliases)), aliases, device)

    return run


def _aside(work):
    """Does it in a thread of its own: the state of a generator calls CUDA, and a host function of a stream must not."""
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


def _random_kernel(torch, cpu, name, filler):
    """What fills a tensor with the numbers of the GPU's generator, in the place of CUDA's operator."""

    def run(out, *arguments, generator=None, **named):
        ran[name] += 1
        same, it = cpu.alias(out), torch.cuda.get_device_properties(out.device)
        if out.is_complex():
            same = torch.view_as_real(same)
        generator = generator or torch.cuda.default_generators[out.device.index]
        what = filler(same, *arguments, **named)

        def now():
            with torch.no_grad():
                tmaref_philox.fill(torch, what, same, generator, it.multi_processor_count * it.max_threads_per_multi_processor)

        if out.numel() == 0:
            return out
        if torch.cuda.is_current_stream_capturing():
            _Capture(torch, cpu, name).enqueue(lambda _: _aside(now), out.device)
        else:
            torch.cuda.current_stream(out.device).synchronize()
            now()
        return out

    return run


class _Cells:
    """The steps of nn.LSTM and nn.GRU, which PyTorch has for CUDA alone. `room` is what the gradient needs of a step."""

    def __init__(self, torch):
        self.torch = torch

    def wide(self, *tensors):
        """Halves are computed as floats, as CUDA does."""
        narrow = (self.torch.float16, self.torch.bfloat16)
        return [one.float() if one is not None and one.dtype in narrow else one for one in tensors]

    def sums(self, gates, count, *biases):
        parts = [one.chunk(count, -1) for one in (gates, *biases) if one is not None]
        return [sum(same[1:], same[0]) for same in zip(*parts)]

    def _thnn_fused_lstm_cell(self, of_input, of_hidden, cx, input_bias=None, hidden_bias=None):
        torch, kind = self.torch, cx.dtype
        of_input, of_hidden, cx, input_bias, hidden_bias = self.wide(of_input, of_hidden, cx, input_bias, hidden_bias)
        i, f, g, o = self.sums(of_input + of_hidden, 4, input_bias, hidden_bias)
        i, f, g, o = i.sigmoid(), f.sigmoid(), g.tanh(), o.sigmoid()
        cy = f * cx + i * g
        return (o * cy.tanh()).to(kind), cy.to(kind), torch.cat((i, f, g, o), -1).to(kind)

    def _thnn_fused_lstm_cell_backward_impl(self, grad_hy, grad_cy, cx, cy, room, has_bias):
        torch, kind = self.torch, cx.dtype
        grad_hy, grad_cy, cx, cy, room = self.wide(grad_hy, grad_cy, cx, cy, room)
        i, f, g, o = room.chunk(4, -1)
        out, zero = cy.tanh(), torch.zeros_like(cy)
        grad_hy, grad_cy = zero if grad_hy is None else grad_hy, zero if grad_cy is None else grad_cy
        of_cy = grad_cy + grad_hy * o * (1 - out * out)
        parts = (of_cy * g * i * (1 - i), of_cy * cx * f * (1 - f), of_cy * i * (1 - g * g), grad_hy * out * o * (1 - o))
        gates = torch.cat(parts, -1)
        return gates.to(kind), (of_cy * f).to(kind), gates.sum(0).to(kind) if has_bias else None

    def _thnn_fused_gru_cell(self, of_input, of_hidden, hx, input_bias=None, hidden_bias=None):
        torch, kind = self.torch, hx.dtype
        of_input, of_hidden, hx, input_bias, hidden_bias = self.wide(of_input, of_hidden, hx, input_bias, hidden_bias)
        (ir, iz, new), (hr, hz, hn) = self.sums(of_input, 3, input_bias), self.sums(of_hidden, 3, hidden_bias)
        r, z = (ir + hr).sigmoid(), (iz + hz).sigmoid()
        n = (new + r * hn).tanh()
        return (n + z * (hx - n)).to(kind), torch.cat((r, z, n, hx, hn), -1).to(kind)

    def _thnn_fused_gru_cell_backward(self, grad_hy, room, has_bias):
        torch, kind = self.torch, room.dtype
        grad_hy, room = self.wide(grad_hy, room)
        r, z, n, hx, hn = room.chunk(5, -1)
        of_n, of_z = grad_hy * (1 - z) * (1 - n * n), grad_hy * (hx - n) * z * (1 - z)
        of_r = of_n * hn * r * (1 - r)
        gates, hidden = torch.cat((of_r, of_z, of_n), -1), torch.cat((of_r, of_z, of_n * r), -1)
        biases = (gates.sum(0).to(kind), hidden.sum(0).to(kind)) if has_bias else (None, None)
        return gates.to(kind), hidden.to(kind), (grad_hy * z).to(kind), *biases


def _say():
    if os.environ.get("TMAREF_QUIET") == "1":
        return
    if tmaref_autotune.taken:
        print(
            f"tmaref: Triton's autotuner took the first configuration that runs, {len(tmaref_autotune.taken)} times: times here say "
            "nothing of a GPU. TMAREF_AUTOTUNE=search tries them all",
            file=sys.stderr,
        )
    if not ran:
        return
    most = ", ".join(f"{name.removeprefix('aten::')} {count}" for name, count in ran.most_common(5))
    more = "" if len(ran) <= 5 else f" and {len(ran) - 5} more"
    print(
        f"tmaref: PyTorch's own operators ran on the CPU, {ran.total()} calls of {len(ran)} operators: {most}{more}. "
        "Kernels ran on the simulated GPU",
        file=sys.stderr,
    )


def _operator_of(torch, name):
    space, _, rest = name.partition("::")
    base, _, overload = rest.partition(".")
    return getattr(getattr(getattr(torch.ops, space), base), overload or "default")


def _names(torch):
    names = set(torch._C._dispatch_get_registrations_for_dispatch_key("CUDA"))
    names.update(WHOLE)
    for name in sorted(names):
        has_cpu = torch._C._dispatch_has_computed_kernel_for_dispatch_key(name, "CPU")
        if name.startswith("aten::") and has_cpu and not _is_left_alone(name):
            yield name


def register():
    """Puts the CPU's operators into the place of CUDA's. PyTorch calls it at the end of its import."""
    import torch

    if os.environ.get("TMAREF_RUN") is None:
        return
    tmaref_autotune.register()
    atexit.register(_say)
    if os.environ.get("TMAREF_EAGER", "cpu") != "cpu":
        return
    cpu = _Cpu(torch)
    library = torch.library.Library("aten", "IMPL")
    register.library = library  # it takes its functions back when it is freed
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that they take the place of others
        for name in _names(torch):
            library.m.impl(name.removeprefix("aten::"), "CUDA", _kernel(torch, cpu, name, _operator_of(torch, name)))
        for name, filler in tmaref_philox.Fillers(torch).by_operator().items():
            library.m.impl(name, "CUDA", _random_kernel(torch, cpu, f"aten::{name}", filler))
        cells = _Cells(torch)
        for name in (name for name in dir(cells) if name.startswith("_thnn")):
            operator = _operator_of(torch, f"aten::{name}")
            library.m.impl(name, "CUDA", _kernel(torch, cpu, f"aten::{name}", operator, getattr(cells, name)))
    torch.backends.cudnn.enabled = False
    for fused in ("flash", "mem_efficient", "cudnn"):  # what is left is attention by products and a softmax
        getattr(torch.backends.cuda, f"enable_{fused}_sdp")(False)
