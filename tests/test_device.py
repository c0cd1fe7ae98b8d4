import ctypes
import os
import subprocess
import sys

import pytest
import torch

from fmrl_ros.device import cores, fast_dtype, keep_freed_memory, torch_device, training_dtype

CPU = torch.device("cpu")


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="a process keeps all cores on this system")
def test_cores_are_those_that_the_process_may_use():
    assert 1 <= cores() <= (os.cpu_count() or 1)
    limited = (
        "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}); "
        "from fmrl_ros.device import cores; print(cores())"
    )
    assert subprocess.run([sys.executable, "-c", limited], capture_output=True, text=True, check=True).stdout == "1\n"


def test_a_device_is_taken_by_its_name():
    assert torch_device("cpu") == CPU
    with pytest.raises(RuntimeError):
        torch_device("abacus")


@pytest.mark.parametrize("there", [True, False])
def test_auto_is_a_gpu_if_there_is_one(there, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: there)
    assert torch_device("auto").type == ("cuda" if there else "cpu")


@pytest.mark.parametrize(("supported", "dtype"), [(True, torch.bfloat16), (False, torch.float32)])
def test_networks_are_trained_in_bfloat16_where_the_device_computes_in_it(supported, dtype, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda including_emulation: supported)
    monkeypatch.setattr(torch.cpu, "_is_avx512_bf16_supported", lambda: supported, raising=False)
    assert training_dtype(torch.device("cuda")) == training_dtype(CPU) == dtype
    assert fast_dtype(CPU) == dtype and fast_dtype(torch.device("cuda")) == torch.float16


def test_memory_that_is_freed_is_kept():
    program = (
        "import ctypes, re; from fmrl_ros.device import keep_freed_memory; keep_freed_memory()\n"
        "held = lambda: int(re.search(r'VmRSS:\\s+(\\d+)', open('/proc/self/status').read())[1])\n"
        "block = b'1' * 200_000_000; full = held(); del block\n"
        "print(full - held() < 20_000)"
    )
    if sys.platform != "linux" or not hasattr(ctypes.CDLL(None), "mallopt"):
        keep_freed_memory()  # nothing to set, and no error
        return
    assert (
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "True\n"
    )
