// SPDX-License-Identifier: MIT
// The little of SVG that reports need: axes, lines, dots and bars, in classes that the page's style colours.
// Coordinates are pixels from the top left.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pbtune {

/// The text with what text and attributes of HTML and SVG may not hold escaped.
[[nodiscard]] std::string escaped(std::string_view text);

struct Point {
  double x = 0, y = 0;
};

/// Maps values to pixels. Pre: lo < hi; both above 0 if logarithmic.
struct Scale {
  double lo = 0, hi = 1;
  double from_px = 0, to_px = 100;
  bool is_log = false;
  [[nodiscard]] double at(double value) const;
  /// Round values on the scale, at most about `most`.
  [[nodiscard]] std::vector<double> ticks(int most) const;
};

/// A logarithmic scale with room around the values; never empty.
[[nodiscard]] Scale log_scale(double lo, double hi, double from_px, double to_px);

class Svg {
 public:
  void line(Point a, Point b, const char* style);
  void path(const std::vector<Point>& points, const std::string& style);
  /// Draws a dot. `tip` is shown where the pointer is.
  void dot(Point at, double radius, const std::string& style, const std::string& tip);
  void bar(Point corner, Point opposite, const std::string& style, const std::string& tip);
  void text(Point at, const std::string& words, const char* style);
  /// The picture as text. `label` says what it shows, for those who do not see it.
  [[nodiscard]] std::string str(double width, double height, const std::string& label) const;

 private:
  std::string out_;
};

}  // namespace pbtune
