// SPDX-License-Identifier: MIT
// Errors of the environment and of the user's data at run time. Each message is one clear line, ready to be printed
// after the program's name. The errors are caught only in a few places (program_main, the tuner's main, the measurement
// server, the device manager).
#pragma once

#include <stdexcept>
#include <string>

namespace pbrt {

/// The base of all these errors. The place that catches one prints it and ends with exit status 1.
class RuntimeError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A file, folder, pipe or child process: missing, unreadable, full, truncated.
class IoError : public RuntimeError {
 public:
  using RuntimeError::RuntimeError;
};

/// A configuration, training information or protocol line that cannot be used at all.
class ConfigError : public RuntimeError {
 public:
  using RuntimeError::RuntimeError;
};

/// The user's arguments, sizes or contents of a matrix do not fit.
class UserError : public RuntimeError {
 public:
  using RuntimeError::RuntimeError;
};

/// A body of a checked build used an index outside its region.
class IndexError : public UserError {
 public:
  using UserError::UserError;
};

/// Arguments of a call in a checked build share elements, of which one argument is written.
class OverlapError : public UserError {
 public:
  using UserError::UserError;
};

/// The system gives no memory for a matrix.
class MemoryError : public RuntimeError {
 public:
  using RuntimeError::RuntimeError;
};

/// A device failed or is out of memory; the work may still be done on the CPU.
class DeviceError : public RuntimeError {
 public:
  using RuntimeError::RuntimeError;
};

/// The program gave up (`PetabricksRuntime::abort()`, recursion that does not end): exit status 66.
class RunAborted : public RuntimeError {
 public:
  using RuntimeError::RuntimeError;
  RunAborted() : RuntimeError("the run was aborted") {}
};

}  // namespace pbrt
