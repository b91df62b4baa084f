#pragma once
// NumPy .npy files (format 1.0 to 3.0, C order, little endian) as double in logical order.
#include <span>
#include <string>
#include <vector>

#include "core/tensor.hpp"

namespace wm {

/// Values of the file for a tensor of `dims` and `dtype`. f2 f4 f8 i1 u1 i4 i8 are read as numbers;
/// bf16 and fp8 tensors as raw unsigned integers of their width. Throws UsageError naming the file
/// and what does not fit (shape, type, order, length).
std::vector<double> read_npy(const std::string& path, const Dims& dims, DType dtype);

/// Throws UsageError as read_npy does, after a look at the header alone.
void check_npy(const std::string& path, const Dims& dims, DType dtype);

/// Writes values in logical order as a .npy file (format 1.0) of `dtype`: bf16 and fp8 as raw
/// unsigned integers. Throws EnvironmentError when the file cannot be written.
void write_npy(const std::string& path, const Dims& dims, DType dtype,
               std::span<const double> values);

}  // namespace wm
