// SPDX-License-Identifier: MIT
#include "autotuner/report/svg_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pbtune {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

double Scale::at(double value) const {
  const double share = is_log ? std::log(value / lo) / std::log(hi / lo) : (value - lo) / (hi - lo);
  return from_px + share * (to_px - from_px);
}

std::vector<double> Scale::ticks(int most) const {
  std::vector<double> out;
  if (!is_log) {
    double step = std::pow(10, std::floor(std::log10((hi - lo) / most)));
    for (const double factor : {2.0, 2.5, 2.0})  // 1, 2, 5, 10
      if ((hi - lo) / step > most) step *= factor;
    for (double value = std::ceil(lo / step) * step; value <= hi; value += step) out.push_back(value);
    return out;
  }
  const double decades = std::log10(hi / lo);
  const std::vector<double> factors = decades < 1.5 ? std::vector<double>{1, 2, 3, 5}
                                      : decades < 3 ? std::vector<double>{1, 3}
                                                    : std::vector<double>{1};
  const double every = std::max(1.0, std::ceil(decades / most));
  for (double decade = std::floor(std::log10(lo)); decade <= std::log10(hi); decade += every)
    for (const double factor : factors)
      if (const double value = factor * std::pow(10, decade); value >= lo && value <= hi) out.push_back(value);
  return out;
}

Scale log_scale(double lo, double hi, double from_px, double to_px) {
  constexpr double kRoom = 1.2;
  return {lo / kRoom, std::max(hi, lo) * kRoom, from_px, to_px, true};
}

void Svg::line(Point a, Point b, const char* style) {
  out_ += fmt::format("<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n", style, a.x, a.y,
                      b.x, b.y);
}

void Svg::path(const std::vector<Point>& points, const std::string& style) {
  out_ += fmt::format("<polyline class=\"{}\" points=\"", style);
  for (const Point& point : points) out_ += fmt::format("{:.1f},{:.1f} ", point.x, point.y);
  out_ += "\"/>\n";
}

void Svg::dot(Point at, double radius, const std::string& style, const std::string& tip) {
  out_ += fmt::format("<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\"><title>{}</title></circle>\n",
                      style, at.x, at.y, radius, escaped(tip));
}

void Svg::bar(Point corner, Point opposite, const std::string& style, const std::string& tip) {
  out_ += fmt::format(
      "<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
      "rx=\"2\"><title>{}</title></rect>\n",
      style, corner.x, corner.y, std::max(0.5, opposite.x - corner.x), std::max(0.5, opposite.y - corner.y),
      escaped(tip));
}

void Svg::text(Point at, const std::string& words, const char* style) {
  out_ += fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", style, at.x, at.y, escaped(words));
}

std::string Svg::str(double width, double height, const std::string& label) const {
  return fmt::format("<svg viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"{}\">\n{}</svg>\n", width, height,
                     escaped(label), out_);
}

}  // namespace pbtune
