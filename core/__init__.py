"""The engine: functions from values to values, without rows or requests."""

import os

# Tables of a pair are small: a second thread of BLAS waits for more than it computes,
# and on busy cores it waits while spinning. Read when numpy is first imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
