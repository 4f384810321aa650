// SPDX-License-Identifier: MIT
// Any bytes as training information, configuration or message of the protocol: readers end with a value or with a
// message, and what they have read survives writing and reading. The first byte chooses the reader.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/config/errors.h"
#include "runtime/config/formats/config_file.h"
#include "runtime/config/formats/configuration_text.h"
#include "runtime/config/formats/info_json.h"
#include "runtime/config/formats/protocol.h"
#include "runtime/config/runtime_check.h"
#include "runtime/config/test_program.h"

namespace {

void read_info(std::string_view text) {
  const pbrt::TrainingInfo info = pbrt::parse_training_info(text, "fuzz.info");
  PBRT_CHECK(pbrt::parse_training_info(to_json(info), "again") == info, "training information survives the round trip");
  const pbrt::InfoIndex index(info);
  const pbrt::Configuration configuration = default_configuration(index);
  (void)to_json(index, configuration, 0);
}

void read_configuration(std::string_view text) {
  const pbrt::TrainingInfo info = pbrt::testing::small_program();
  const pbrt::InfoIndex index(info);
  pbrt::ConfigWarnings warnings;
  const pbrt::Configuration configuration = parse_configuration(text, "fuzz.cfg", index, warnings);
  (void)warnings.lines("fuzz.cfg");
  pbrt::ConfigWarnings none;
  const pbrt::Configuration again = parse_configuration(to_json(index, configuration, 0), "again", index, none);
  PBRT_CHECK(again == configuration, "configurations survive the round trip");
  PBRT_CHECK(none.lines("again").empty(), "what was written is valid");
}

void read_config_file(std::string_view text) {
  const pbrt::TrainingInfo info = pbrt::testing::small_program();
  const pbrt::InfoIndex index(info);
  const pbrt::ConfigFile file = parse_config_file(text, "fuzz.cfg", index);
  (void)choose_entry(file, pbrt::Machine{});
  const std::string written = to_json(index, file);
  PBRT_CHECK(to_json(index, parse_config_file(written, "again", index)) == written, "what is written is what is read");
}

void read_hello(std::string_view text) { (void)to_line(pbrt::protocol::parse_hello(text)); }
void read_request(std::string_view text) { (void)to_line(pbrt::protocol::parse_request(text)); }
void read_reply(std::string_view text) { (void)to_line(pbrt::protocol::parse_reply(text)); }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static constexpr void (*kReaders[])(std::string_view) = {read_info,  read_configuration, read_config_file,
                                                           read_hello, read_request,       read_reply};
  if (size == 0) return 0;
  try {
    kReaders[data[0] % 6](std::string_view(reinterpret_cast<const char*>(data) + 1, size - 1));
  } catch (const pbrt::ConfigError& error) {
    PBRT_CHECK(std::string_view(error.what()).find('\n') == std::string_view::npos, "messages are one line");
  }
  return 0;
}
