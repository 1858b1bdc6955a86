#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# PyTorch under `tmaref exec`. TMAREF is the command; TORCH_PYTHON is a Python that has PyTorch for CUDA (default: python3).
# Without PyTorch it only shows that PyTorch would find the module, and says so.
set -u
python=${TORCH_PYTHON:-python3} failed=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

expect() { # expect PATTERN ARGUMENT...: of python's output
    local pattern=$1
    shift
    "$TMAREF" exec "$@" >"$scratch/out" 2>&1
    grep -qE -- "$pattern" "$scratch/out" && return
    echo "tmaref exec $*: no line like '$pattern' in:"
    cat "$scratch/out"
    failed=1
}

command -v "$python" >/dev/null || { echo "skipped: there is no $python here"; exit 0; }
found='from importlib.metadata import entry_points as e; print([one.load().__name__ for one in e(group="torch.backends")])'
expect "'register'" -- "$python" -c "$found"
PYTHONPATH=/mine expect '/exec/python:/mine$' -- sh -c 'echo "$PYTHONPATH"'
# Random123's own answers, and the words behind torch.rand(2) of a GPU with the seed 0.
philox='import tmaref_philox as t; all = [0xFFFFFFFF] * 4; hex = lambda words: " ".join("%08x" % one for one in words)
print(hex(t.philox([0] * 4, (0, 0))), hex(t.philox(all, all[:2])), ["%.4f" % (t.philox((0, 0, i, 0), (0, 0))[0] / 2**32) for i in (0, 1)])'
expect "^6627e8d5 e169c58d bc57ac4c 9b00dbd8 408f276d 41c83b0e a20bc7c6 6d5451fd \\['0.3990', '0.5167'\\]" -- "$python" -c "$philox"
[ $failed = 0 ] || exit 1

"$python" -c 'import torch; assert torch.version.cuda' 2>/dev/null || {
    echo "skipped: $python has no PyTorch for CUDA; that PyTorch finds the module was shown"
    exit 0
}
expect '^done$' -- "$python" "$(dirname "$0")/random_numbers.py"
"$python" -c 'import triton' 2>/dev/null && expect "^tmaref: Triton's autotuner took the first .* 2 times" -- "$python" "$(dirname "$0")/autotune.py"
cat >"$scratch/train.py" <<'END'
import torch
assert torch.cuda.is_available() and "(tmaref)" in torch.cuda.get_device_name(0)
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.GELU(), torch.nn.LayerNorm(64), torch.nn.Linear(64, 10))
x, y = torch.randn(64, 32), torch.randint(0, 10, (64,))
def losses(model, x, y):
    optimizer, all = torch.optim.AdamW(model.parameters(), lr=1e-2), []
    for step in range(10):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        all.append(loss.item())
    return torch.tensor(all)
twin = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.GELU(), torch.nn.LayerNorm(64), torch.nn.Linear(64, 10))
twin.load_state_dict(model.state_dict())
assert torch.allclose(losses(model, x, y), losses(twin.cuda(), x.cuda(), y.cuda()), atol=1e-6)
a = torch.rand(5, 5, device="cuda")
column = a[:, 1]
column.mul_(3)  # a view: the bytes of a
assert torch.equal(a[:, 1], column) and column.data_ptr() == a.data_ptr() + 4
into = torch.empty(0, device="cuda")
torch.add(a, a, out=into)  # resized
assert torch.equal(into, 2 * a)
assert torch.take_along_dim(a, torch.argsort(a, 1), 1).shape == (5, 5)
q = torch.randn(1, 4, 32, 16, device="cuda")
fused = torch.nn.functional.scaled_dot_product_attention(q, q, q, is_causal=True)
on_cpu = torch.nn.functional.scaled_dot_product_attention(q.cpu(), q.cpu(), q.cpu(), is_causal=True)
assert torch.allclose(fused.cpu(), on_cpu, atol=1e-5)
graph, x, count = torch.cuda.CUDAGraph(), torch.zeros(4, device="cuda"), torch.zeros(4, device="cuda")
with torch.cuda.graph(graph):  # nothing runs until the replay
    y, most = x + 1, torch.max(x, 0)
    count.add_(1)
assert torch.equal(count.cpu(), torch.zeros(4))
for value in (3.0, 5.0):
    x.fill_(value)
    graph.replay()
    assert torch.equal(y.cpu(), torch.full((4,), value + 1)) and most.values.item() == value
assert torch.equal(count.cpu(), torch.full((4,), 2.0))
try:
    with torch.cuda.graph(torch.cuda.CUDAGraph()):
        torch.nonzero(x)
    raise SystemExit("an operator whose result has no size before it runs was captured")
except RuntimeError as error:
    assert "captured" in str(error) or "capture" in str(error), error
for kind in (torch.nn.LSTM, torch.nn.GRU):  # of CUDA's own: the CPU has no such operators
    cell = kind(4, 8, num_layers=2, bidirectional=True)
    twin, steps = kind(4, 8, num_layers=2, bidirectional=True).cuda(), torch.randn(5, 3, 4)
    twin.load_state_dict(cell.state_dict())
    of_cell, of_twin = cell(steps)[0], twin(steps.cuda())[0]
    assert torch.allclose(of_cell, of_twin.cpu(), atol=1e-6)
    of_cell.square().sum().backward(), of_twin.square().sum().backward()
    for mine, its in zip(cell.parameters(), twin.parameters()):
        assert torch.allclose(mine.grad, its.grad.cpu(), atol=1e-5)
print("done")
END
expect '^done$' -- "$python" "$scratch/train.py"
expect "^tmaref: PyTorch's own operators ran on the CPU, [0-9]+ calls of" -- "$python" "$scratch/train.py"
expect 'no kernel image is available for execution on the device' --eager=refuse -- "$python" -c 'import torch; torch.ones(4, device="cuda")'
exit $failed
