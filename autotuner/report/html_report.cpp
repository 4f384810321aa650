// SPDX-License-Identifier: MIT
#include "autotuner/report/html_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "autotuner/report/configuration_words.h"
#include "autotuner/report/device_words.h"
#include "autotuner/report/progress.h"
#include "autotuner/report/svg_plot.h"

namespace pbtune {
namespace {

constexpr std::string_view kPageBegin =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n<meta name=\"viewport\"";
constexpr std::string_view kTitleEnd = ": tuning report</title>";

constexpr double kWidth = 860, kLeft = 74, kRight = 846;
constexpr int kNumColours = 6;

// The page's style: light, or dark where the reader's system says so.
constexpr const char* kStyle = R"(
:root { color-scheme: light dark; --page: #fcfcfb; --ink: #0b0b0b; --soft: #52514e; --faint: #e1e0d9;
  --c0: #2a78d6; --c1: #eb6834; --c2: #1baf7a; --c3: #eda100; --c4: #e87ba4; --c5: #008300; --bad: #d03b3b; }
@media (prefers-color-scheme: dark) { :root { --page: #1a1a19; --ink: #ffffff; --soft: #c3c2b7; --faint: #2c2c2a;
  --c0: #3987e5; --c1: #d95926; --c2: #199e70; --c3: #c98500; --c4: #d55181; --c5: #4a9c4a; } }
body { margin: 2rem auto; max-width: 56rem; padding: 0 1rem; background: var(--page); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; margin: 0 0 .3rem; } h2 { font-size: 1.2rem; margin: 2.2rem 0 .4rem; } h3 { font-size: 1rem; margin: 1.4rem 0 .2rem; }
p { margin: .3rem 0; } .soft { color: var(--soft); } .lead { font-size: 1.15rem; }
table { border-collapse: collapse; margin: .5rem 0; } th, td { text-align: left; padding: .15rem 1.2rem .15rem 0; vertical-align: top; }
th { font-weight: 500; color: var(--soft); } td.number { text-align: right; font-variant-numeric: tabular-nums; }
svg { width: 100%; height: auto; display: block; margin: .4rem 0; } svg text { font-size: 12px; fill: var(--soft); }
svg text.ink { fill: var(--ink); } svg text.end { text-anchor: end; } svg text.mid { text-anchor: middle; }
.grid { stroke: var(--faint); stroke-width: 1; } .mark { stroke: var(--soft); stroke-width: 1; stroke-dasharray: 4 4; }
.curve { fill: none; stroke-width: 2; stroke-linejoin: round; } circle { stroke: var(--page); stroke-width: 1; }
.f0 { fill: var(--c0); } .f1 { fill: var(--c1); } .f2 { fill: var(--c2); } .f3 { fill: var(--c3); } .f4 { fill: var(--c4); } .f5 { fill: var(--c5); }
.s0 { stroke: var(--c0); } .s1 { stroke: var(--c1); } .s2 { stroke: var(--c2); } .bad { fill: var(--bad); } .rest { fill: var(--soft); }
.key { display: inline-block; width: .7rem; height: .7rem; border-radius: 2px; margin: 0 .35rem 0 1rem; } .key:first-child { margin-left: 0; }
.k0 { background: var(--c0); } .k1 { background: var(--c1); } .k2 { background: var(--c2); } .kbad { background: var(--bad); }
)";

std::string paragraph(const std::string& words, const char* style = "soft") {
  return fmt::format("<p class=\"{}\">{}</p>\n", style, escaped(words));
}

std::string key(const std::vector<std::pair<const char*, const char*>>& items) {
  std::string out = "<p class=\"soft\">";
  for (const auto& [colour, words] : items)
    out += fmt::format("<span class=\"key {}\"></span>{}", colour, escaped(words));
  return out + "</p>\n";
}

std::string row(const std::string& head, const std::string& words) {
  return fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", escaped(head), escaped(words));
}

double median_of(const Tried* tried) { return tried != nullptr ? median(tried->times_ns) : 0; }

/// The grid and numbers of an axis of times at the left.
void add_time_axis(Svg& svg, const Scale& y) {
  for (const double tick : y.ticks(6)) {
    svg.line({kLeft, y.at(tick)}, {kRight, y.at(tick)}, "grid");
    svg.text({kLeft - 8, y.at(tick) + 4}, time_text(tick), "end");
  }
}

/// Least and greatest of all times above 0.
struct Range {
  double lo = std::numeric_limits<double>::infinity(), hi = 0;
  void add(double value) {
    if (!(value > 0)) return;
    lo = std::min(lo, value);
    hi = std::max(hi, value);
  }
  [[nodiscard]] bool is_empty() const { return !(hi > 0); }
};

std::string tip_of(const Tried& tried, std::int64_t n) {
  return fmt::format("{} at size {}: {}, {} trials", tried.origin, n,
                     tried.is_good() ? time_text(median(tried.times_ns)) : to_string(tried.kind),
                     tried.times_ns.size());
}

/// The best so far, as steps.
std::vector<Point> best_so_far(const Phase& phase, const Scale& x, const Scale& y) {
  std::vector<Point> out;
  double best = std::numeric_limits<double>::infinity();
  for (const Tried& tried : phase.tried) {
    if (!tried.is_good() || median(tried.times_ns) >= best) continue;
    if (!out.empty()) out.push_back({x.at(tried.at_s), out.back().y});
    best = median(tried.times_ns);
    out.push_back({x.at(tried.at_s), y.at(best)});
  }
  if (!out.empty()) out.push_back({x.at(phase.end_s), out.back().y});
  return out;
}

/// Every configuration at the time at which it was first measured.
std::string search_plot(const History& history) {
  constexpr double kTop = 26, kBottom = 300, kFailed = 318, kHeight = 350;
  Range times;
  for (const Phase& phase : history.phases)
    for (const Tried& tried : phase.tried)
      if (tried.is_good()) times.add(median(tried.times_ns));
  if (times.is_empty()) return "";
  const Scale x{0, std::max(1e-3, history.phases.back().end_s), kLeft, kRight, false};
  const Scale y = log_scale(times.lo, times.hi, kBottom, kTop);
  Svg svg;
  add_time_axis(svg, y);
  for (const double tick : x.ticks(8)) svg.text({x.at(tick), kHeight - 8}, fmt::format("{:g} s", tick), "mid");
  double last_label = -1e9;
  for (const Phase& phase : history.phases) {
    const double begin = x.at(phase.begin_s);
    svg.line({begin, kTop - 8}, {begin, kBottom}, "mark");
    constexpr double kLabelWidth = 64;
    if (begin - last_label > kLabelWidth && begin + kLabelWidth < kRight + kLabelWidth / 2) {
      svg.text({begin + 4, kTop - 12}, fmt::format("n = {}", phase.n), "ink");
      last_label = begin;
    }
    if (const Tried* standard = phase.standard(); standard != nullptr)
      svg.line({begin, y.at(median_of(standard))}, {x.at(phase.end_s), y.at(median_of(standard))}, "mark");
    for (const Tried& tried : phase.tried)
      svg.dot({x.at(tried.at_s), tried.is_good() ? y.at(median(tried.times_ns)) : kFailed}, 4,
              !tried.is_good()     ? "bad"
              : tried.is_on_device ? "f1"
                                   : "f0",
              tip_of(tried, phase.n));
    svg.path(best_so_far(phase, x, y), "curve s2");
  }
  return "<h3>Time over the search</h3>\n" +
         paragraph(
             "Each dot is a configuration, where it was first measured; its height is the median of all its trials. "
             "Dashed: the default. These are times of the search, at different moments: the gains above are those of "
             "the last comparison, in turns.") +
         key({{"k0", "on the CPU"},
              {"k1", "on a device, in part or all"},
              {"k2", "the best so far"},
              {"kbad", "failed, wrong or too slow"}}) +
         svg.str(kWidth, kHeight, "Times of all measured configurations over the search");
}

/// The last phase of each size: with bins, sizes come again for each target.
std::vector<const Phase*> last_phases(const History& history) {
  std::vector<const Phase*> out;
  for (const Phase& phase : history.phases) {
    std::erase_if(out, [&](const Phase* other) { return other->n >= phase.n; });
    if (phase.best() != nullptr) out.push_back(&phase);
  }
  return out;
}

std::string sizes_plot(const History& history) {
  constexpr double kTop = 12, kBottom = 260, kHeight = 290;
  const std::vector<const Phase*> phases = last_phases(history);
  if (phases.size() < 2) return "";
  Range times;
  for (const Phase* phase : phases)
    for (const Tried* tried : {phase->best(), phase->best_fixed(), phase->standard()}) times.add(median_of(tried));
  const Scale x = log_scale(static_cast<double>(std::max<std::int64_t>(1, phases.front()->n)),
                            static_cast<double>(phases.back()->n), kLeft, kRight);
  const Scale y = log_scale(times.lo, times.hi, kBottom, kTop);
  Svg svg;
  add_time_axis(svg, y);
  std::vector<Point> lines[3];
  for (const Phase* phase : phases) {
    const double at = x.at(static_cast<double>(std::max<std::int64_t>(1, phase->n)));
    svg.text({at, kHeight - 8}, std::to_string(phase->n), "mid");
    const Tried* shown[3] = {phase->best(), phase->standard(), phase->best_fixed()};
    for (std::size_t i = 0; i < 3; ++i)
      if (shown[i] != nullptr) lines[i].push_back({at, y.at(median_of(shown[i]))});
  }
  for (std::size_t i : {std::size_t{1}, std::size_t{2}, std::size_t{0}})
    svg.path(lines[i], fmt::format("curve s{}", i));
  std::string table =
      "<table><thead><tr><th>size</th><th>best measured</th><th>default</th><th>best fixed "
      "choice</th><th></th></tr></thead><tbody>\n";
  for (const Phase* phase : phases) {
    const Tried* fixed = phase->best_fixed();
    const auto cell = [](const Tried* tried) {
      return tried != nullptr ? time_text(median_of(tried)) : std::string("-");
    };
    table += fmt::format(
        "<tr><td class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td><td "
        "class=\"number\">{}</td><td>{}</td></tr>\n",
        phase->n, cell(phase->best()), cell(phase->standard()), cell(fixed),
        fixed != nullptr ? escaped(fixed->origin) : "");
  }
  return "<h3>Time by size</h3>\n" + key({{"k0", "best measured"}, {"k1", "default"}, {"k2", "best fixed choice"}}) +
         svg.str(kWidth, kHeight, "Best times by size") + table + "</tbody></table>\n";
}

/// A plot of each fixed choice beside the best, at the target size.
std::string fixed_choices_plot(const History& history) {
  constexpr double kRow = 26, kNames = 340;
  const std::vector<const Phase*> phases = last_phases(history);
  if (phases.empty()) return "";
  const Phase& phase = *phases.back();
  std::vector<const Tried*> shown;
  for (const Tried& tried : phase.tried)
    if (tried.is_good() && tried.is_fixed_choice()) shown.push_back(&tried);
  const Tried* best = phase.best();
  if (!best->is_fixed_choice()) shown.push_back(best);
  std::stable_sort(shown.begin(), shown.end(),
                   [](const Tried* a, const Tried* b) { return median_of(a) < median_of(b); });
  const Scale x{0, median_of(shown.empty() ? best : shown.back()), kNames, kRight - 80, false};
  Svg svg;
  double y = 4;
  for (const Tried* tried : shown) {
    svg.text({kNames - 8, y + 14}, tried == best ? "chosen: " + tried->origin : tried->origin,
             tried == best ? "ink end" : "end");
    svg.bar({kNames, y}, {x.at(median_of(tried)), y + kRow - 6}, tried == best ? "f0" : "rest",
            tip_of(*tried, phase.n));
    svg.text({x.at(median_of(tried)) + 6, y + 14}, time_text(median_of(tried)), "ink");
    y += kRow;
  }
  return fmt::format("<h3>Fixed choices at size {}</h3>\n", phase.n) +
         paragraph(
             "One rule and one version at every site, with the default's values: what a program without choices would "
             "do. \"from N\": "
             "so from size N on, below it what was best there.") +
         svg.str(kWidth, y + 6, "Times of fixed choices at the largest size");
}

/// A strip that shows which choice a site makes at which largest size. What it makes of size variables is said in
/// words.
std::string site_strip(const InfoIndex& index, const pbrt::ConfigEntry& entry, int id, double largest) {
  constexpr double kHeight = 58, kBarBottom = 30;
  const std::vector<pbrt::Level> levels =
      pbrt::levels_by_largest(entry.configuration.sites[static_cast<std::size_t>(id)].levels);
  const Scale x{1, largest, kLeft, kRight, true};
  Svg svg;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const double from = std::clamp(static_cast<double>(levels[i].from), 1.0, largest);
    const double to =
        i + 1 < levels.size() ? std::clamp(static_cast<double>(levels[i + 1].from), 1.0, largest) : largest;
    if (to <= from) continue;
    const pbrt::Choice choice = index.site(id).site->choice(levels[i].alternative);
    const std::string words = choice.rule + ", " + to_string(choice.on);
    const std::string colour =
        levels[i].alternative < kNumColours ? fmt::format("f{}", levels[i].alternative) : std::string("rest");
    svg.bar({x.at(from) + (i > 0 ? 1 : 0), 18}, {x.at(to) - 1, kBarBottom}, colour,
            fmt::format("from size {}: {}", levels[i].from, words));
    constexpr double kLetter = 6.6;
    if (x.at(to) - x.at(from) > kLetter * static_cast<double>(words.size())) svg.text({x.at(from), 12}, words, "ink");
    svg.text({x.at(from), kHeight - 12}, std::to_string(levels[i].from), i == 0 ? "" : "mid");
  }
  return fmt::format("<h3>{}</h3>\n", escaped(index.site_name(id))) +
         svg.str(kWidth, kHeight, "Choices of " + index.site_name(id) + " by size");
}

std::string tolerance_words(const pbrt::TrainingInfo& info, const std::vector<std::string>& arguments) {
  for (const std::string& word : arguments)
    if (word.starts_with("--tolerance=") && word != "--tolerance=-1")
      return word.substr(word.find('=') + 1) + ", as said to pbtune";
  for (const pbrt::TransformInfo& transform : info.transforms) {
    if (transform.name != info.main) continue;
    if (transform.accuracy.has_target)
      return fmt::format("judged by {}: {:g}", transform.accuracy.metric, transform.accuracy.target);
    if (transform.tolerance.is_given) return fmt::format("{:g}, as the program says", transform.tolerance.rel);
  }
  return info.element == "float" ? "1e-4, usual for float" : "1e-9, usual for double";
}

std::string entry_part(const ReportData& data, const pbrt::ConfigEntry& entry) {
  const InfoIndex& index = *data.index;
  const pbrt::Provenance& provenance = entry.provenance;
  std::string out = fmt::format("<h2>{}</h2>\n", escaped(describe(entry.machine)));
  for (const std::string& gain : gain_lines(index.info(), provenance)) out += paragraph(gain, "lead");
  std::string caches;
  for (const pbrt::CacheInfo& cache : entry.machine.caches)
    caches += fmt::format("{}L{} {} KiB", caches.empty() ? "" : ", ", cache.level, cache.size_bytes / 1024);
  std::string devices;
  for (const pbrt::DeviceId& device : entry.machine.devices)
    devices += (devices.empty() ? "" : ", ") + device.name + " (driver " + device.driver + ")";
  const bool says_machine = !(entry.machine == pbrt::Machine{});
  out += "<table><tbody>\n" +
         row("processor", says_machine ? fmt::format("{}, {} CPUs, {} cores", entry.machine.cpu, entry.machine.cpus,
                                                     entry.machine.cores)
                                       : "not said") +
         row("caches", caches.empty() ? "not known" : caches) + row("devices", devices.empty() ? "none" : devices) +
         row("origin", origin_text(provenance)) + row("tolerance", tolerance_words(index.info(), data.arguments)) +
         "</tbody></table>\n";
  double largest =
      provenance.sizes.empty() ? 1024 : static_cast<double>(std::max<std::int64_t>(2, provenance.sizes.back()));
  for (const Selector& selector : entry.configuration.sites)
    largest = std::max(largest, 2 * static_cast<double>(pbrt::levels_by_largest(selector.levels).back().from));
  for (int id = 0; id < index.num_sites(); ++id)
    if (index.site(id).site->num_choices() > 1) out += site_strip(index, entry, id, largest);
  out += "<h3>In words</h3>\n";
  for (const std::string& line : explain(index, entry.configuration, -1, device_name(provenance.device), {}))
    out += paragraph(line);
  const std::vector<std::string> lost = device_loss_lines(provenance.device_losses, device_name(provenance.device));
  if (!lost.empty()) out += "<h3>What lost on the device</h3>\n";
  for (const std::string& line : lost) out += paragraph(line);
  return out;
}

std::string search_part(const ReportData& data) {
  std::string out = "<h2>The last search</h2>\n";
  if (!data.history)
    return out + paragraph("There is no journal of a search for this state of the program beside the configuration.");
  out += paragraph(fmt::format("{} configurations; runs by outcome:", data.history->num_configurations)) +
         "<table><tbody>\n";
  for (const auto& [kind, count] : data.history->outcomes) out += row(to_string(kind), std::to_string(count));
  out += "</tbody></table>\n";
  if (!data.history->phases.empty())
    out += search_plot(*data.history) + sizes_plot(*data.history) + fixed_choices_plot(*data.history);
  if (!data.notes.empty()) out += "<h3>Notes</h3>\n";
  for (const std::string& note : data.notes) out += paragraph(note);
  return out;
}

}  // namespace

bool is_report_page(std::string_view head) {
  return head.starts_with(kPageBegin) && head.find(kTitleEnd) != std::string_view::npos;
}

std::string html_report(const ReportData& data) {
  const std::string name = escaped(data.index->info().program);
  std::string out = std::string(kPageBegin) + " content=\"width=device-width, initial-scale=1\"/>\n";
  out += fmt::format("<title>{}{}\n<style>{}</style>\n</head>\n<body>\n<h1>{}</h1>\n", name, kTitleEnd, kStyle, name);
  out += paragraph("What pbtune chose, and why.");
  for (const pbrt::ConfigEntry& entry : data.file->entries) out += entry_part(data, entry);
  return out + search_part(data) + "</body>\n</html>\n";
}

}  // namespace pbtune
