// SPDX-License-Identifier: MIT
#include "runtime/embed/call_status.h"

#include <algorithm>
#include <exception>
#include <new>

#include "runtime/config/errors.h"

namespace pbrt {

namespace {

constexpr std::size_t kMaxLetterBytes = 4;

/// How many bytes of a text fit into `room` without a part of a letter of UTF-8 at their end.
std::size_t length_that_fits(std::string_view text, std::size_t room) {
  if (text.size() <= room) return text.size();
  const auto is_within_letter = [&](std::size_t at) { return (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U; };
  for (std::size_t length = room; length > 0 && length + kMaxLetterBytes > room; --length)
    if (!is_within_letter(length)) return length;
  return room;  // it is no UTF-8
}

}  // namespace

pb_status make_status(pb_code code, std::string_view text) noexcept {
  pb_status status;
  status.code = code;
  const std::size_t length = length_that_fits(text, sizeof status.message - 1);
  std::replace_copy(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(length), status.message, '\n', ' ');
  status.message[length] = '\0';
  return status;
}

pb_status status_of_exception(pb_code otherwise) noexcept {
  try {
    throw;
  } catch (const DeviceError& error) {
    return make_status(PB_ERROR_DEVICE, error.what());
  } catch (const UserError& error) {
    return make_status(PB_ERROR_ARGUMENT, error.what());
  } catch (const ConfigError& error) {
    return make_status(PB_ERROR_CONFIGURATION, error.what());
  } catch (const std::bad_alloc&) {
    return make_status(PB_ERROR_MEMORY, "there is not enough memory");
  } catch (const std::exception& error) {
    return make_status(otherwise, error.what());
  } catch (...) {
    return make_status(otherwise, "an exception of an unknown type");
  }
}

}  // namespace pbrt
