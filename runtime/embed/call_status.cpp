// SPDX-License-Identifier: MIT
#include "runtime/embed/call_status.h"

#include <algorithm>
#include <exception>
#include <new>

#include "runtime/config/errors.h"
#include "runtime/config/text_cut.h"

namespace pbrt {

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
