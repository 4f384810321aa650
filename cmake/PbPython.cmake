# SPDX-License-Identifier: MIT
# PB_PYTHON: the interpreter that has NumPy, Debian's where several are installed. The end-to-end tests run in it, and
# the Python package is built for it.
set(PB_PYTHON /usr/bin/python3 CACHE FILEPATH "Python with NumPy, for the end-to-end tests and the Python package")
if(NOT EXISTS ${PB_PYTHON})
  find_package(Python3 COMPONENTS Interpreter)
  set(PB_PYTHON ${Python3_EXECUTABLE})
endif()
