import os
import subprocess
import sys

import pytest

from fmrl_ros.device import cores


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="a process keeps all cores on this system")
def test_cores_are_those_that_the_process_may_use():
    assert 1 <= cores() <= (os.cpu_count() or 1)
    limited = (
        "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}); "
        "from fmrl_ros.device import cores; print(cores())"
    )
    assert subprocess.run([sys.executable, "-c", limited], capture_output=True, text=True, check=True).stdout == "1\n"
