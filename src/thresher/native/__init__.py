"""Kernels in C++, in one library that ctypes loads; numpy computes the same bits where it is missing.

The library computes counts of whole columns. `Kernel` checks every array before its address is passed. The
sources in `cpp` are compiled by `hatch_build.py`; they call no Python and throw nothing across the interface.
"""
