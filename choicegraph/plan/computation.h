// SPDX-License-Identifier: MIT
// What the loops of a rule's body compute: folds. A fold is a loop that only updates accumulators by an associative
// operator, so that parts of it may be computed apart and combined. Pure data, made by
// choicegraph/passes/computation; schedules of the CPU and of devices are made from it. It says nothing about how a
// fold runs.
//
// Who runs a part of a fold by itself keeps the loop's own statements. It gives them accumulators of its own, which
// begin with the neutral element of the operator, or, for the smallest and the largest, with the value before the loop.
// The results of the parts are combined in their order, and the value from before the loop is combined once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "choicegraph/plan/scan.h"
#include "lang/program.h"

namespace pb {

/// How an accumulator takes what the loop computes.
enum class FoldOp : std::uint8_t { Add, Mul, Min, Max, BitAnd, BitOr, BitXor, And, Or };

/// What other orders of the updates do to the result.
enum class Regrouping : std::uint8_t {
  Exact,   ///< every order gives the same bits: integers, and smallest and largest with a strict comparison
  Rounds,  ///< another order rounds in another way: sums and products of floating-point numbers
  Never,   ///< only the order of the source gives what the source says, as with NaN in `s > x ? s : x`
};

/// Which orders a configuration may choose for folds that another order would round in another way.
enum class FoldOrders : std::uint8_t {
  Source,       ///< that of the source; there is no choice
  SourceFirst,  ///< that of the source by default
  AnyFirst,     ///< any by default
};

/// Which of two equal values the smallest or largest keeps.
enum class FoldTies : std::uint8_t { First, Last };

/// A variable that notes where the smallest or largest value was, or something else of that place.
struct FoldPlace {
  ExprId target;  ///< the name that the update assigns to
  std::string name;
  NameBinding binding;
  BodyType type;
  ExprId value;
};

/// One statement that updates an accumulator.
struct FoldUpdate {
  StmtId stmt;   ///< the statement; for `if (x < s) s = x;` the `if`
  ExprId value;  ///< the operand; none for `s++`, `s--`, and for `if (c) s = true;`, where the operand is `c`
};

/// A variable that the loop updates, and does not use otherwise.
struct Accumulator {
  ExprId target;  ///< a use of it in its first update: a name, or `c.cell(…)` with the same place in all iterations
  std::string name;     ///< of the variable, or of the region
  NameBinding binding;  ///< a Local or an Output
  BodyType type;        ///< of the value; ElementT is the program's element type
  FoldOp op = FoldOp::Add;
  Regrouping regrouping = Regrouping::Exact;
  FoldTies ties = FoldTies::First;  ///< only of Min and Max
  std::vector<FoldUpdate> updates;  ///< in the order of the text; they may stand in inner statements
  std::vector<FoldPlace> places;    ///< only of Min and Max with one update, in the order of the text

  [[nodiscard]] bool is_extremum() const { return op == FoldOp::Min || op == FoldOp::Max; }
};

/// A loop `for (T var = first; var < last; var += step)` that is a fold.
struct Fold {
  StmtId loop;
  std::string var;
  std::uint32_t local = 0;                ///< number of the variable's declarator
  BodyType var_type;                      ///< an integer
  ExprId first, last;                     ///< `last` stays the same while the loop runs
  bool is_inclusive = false;              ///< `<=` or `>=` instead of `<` or `>`
  std::int64_t step = 1;                  ///< not 0; the variable decreases if it is negative
  std::vector<Accumulator> accumulators;  ///< at least one
  std::optional<std::size_t> outer;       ///< the fold whose loop is the next around this one: index in the list

  /// The accumulator that a name means; null if it means none.
  [[nodiscard]] const Accumulator* find(const NameBinding& binding) const;
  [[nodiscard]] bool may_regroup() const;  ///< no accumulator has Regrouping::Never
  [[nodiscard]] bool is_exact() const;     ///< all accumulators have Regrouping::Exact
};

/// Whether the loop's variable and limits are integers that a signed number of 64 bits holds.
[[nodiscard]] bool counts_in_64_bits(const Fold& fold, const BodyTypes& types);

/// A loop that counts and stores, in each round, cells of that round alone. It may update accumulators beside that. It
/// is no fold.
struct MapLoop {
  Fold loop;  ///< its head and its accumulators; there may be none
  std::vector<ExprId>
      stores;           ///< assignments to cells of which `i`, the loop's variable, is a coordinate; at least one
  bool is_line = true;  ///< it is the first one of each, and the others stay the same
  /// Outputs of one dimension, by index in Rule::outputs, whose cell each round gives a new value before it may read
  /// it.
  std::vector<std::size_t> renewed = {};
};

/// `if (c) kept.cell(at++) = x;`, where the loop neither stores at `at` nor raises it elsewhere, and `x` may be
/// computed whether or not `c` holds. So whoever keeps some of these values before storing them needs no branch.
struct BranchedStore {
  StmtId branch;
  ExprId condition, cell, value;
  std::string region, place;  ///< their names
};

/// A loop that counts, and updates or stores cells of outputs at places that its rounds compute. It is no fold.
///
/// *Bins* are cells that it updates, as a histogram does. Like accumulators, they are updated by one associative
/// operator for each output, and not used otherwise. Outputs to which it stores are not used otherwise either, and
/// rounds store to different cells, because the rule says so (Rule::is_distinct), or because they store at running
/// places. Or it stores and reads cells of which the loop's variable is a coordinate, as maps do.
///
/// A *running place* is an accumulator that rounds only raise, and at which they store: `kept.cell(at++) = x`. Those of
/// a chunk of rounds begin where the chunks before it end. So what chunks add to them is known before they store.
struct ScatterLoop {
  Fold loop;                      ///< its head and its other accumulators; there may be none
  std::vector<Accumulator> bins;  ///< one for each output; `target` is the cell of the first update
  std::vector<ExprId> stores;     ///< assignments to cells
  std::size_t num_running = 0;    ///< so many of the accumulators are running places; they are the first ones
  std::vector<BranchedStore> branched = {};  ///< of its stores at running places

  [[nodiscard]] bool may_regroup() const;  ///< neither an accumulator nor bins have Regrouping::Never
  [[nodiscard]] bool is_exact() const;     ///< all of them have Regrouping::Exact
  /// Devices update the bins in an order that the sizes decide, because they have no update of some of them that gives
  /// the same bits in any order and that no other one interrupts.
  [[nodiscard]] bool has_ordered_bins() const;
};

/// Regions by their names in the body, each once. The rounds of a map may run apart if none that it stores to shares
/// memory with another of them.
struct MapRegions {
  std::vector<std::string> stored;
  std::vector<std::string> read;  ///< others of which it reads cells

  bool operator==(const MapRegions&) const = default;
};

/// Returns the regions of which a loop uses cells.
[[nodiscard]] MapRegions regions_of(const Rule& rule, const MapLoop& map);
[[nodiscard]] MapRegions regions_of(const Rule& rule, const ScatterLoop& loop);
/// Returns the regions to which the loop stores, each once, without its bins.
[[nodiscard]] std::vector<std::string> stored_by(const Rule& rule, const ScatterLoop& loop);

/// Why a loop is no fold, or why work-items do not divide it: shown by --explain at `span`.
struct WhyNotFold {
  StmtId loop;
  std::string reason;
  Span span;
};

/// Who runs a statement at the top of a body where the work-items of a device run an instance together.
enum class PhaseKind : std::uint8_t {
  Divided,  ///< a fold or a map, whose iterations they divide among each other
  First,    ///< one of them, because the statement stores a cell
  Alike,    ///< all of them
};

/// A statement that they do not run alike, or before which they wait for one another.
struct Phase {
  PhaseKind kind = PhaseKind::Divided;
  StmtId stmt;
  StmtId inner = {};    ///< the fold in a divided fold, if that has the same accumulators and a fixed range; else none
  bool stores = false;  ///< a divided loop is a map
  /// It reads or stores cells that others may have stored, or stores cells that others may have read.
  bool waits = false;
  /// The launch that does it, from 1, where several groups run an instance; 0: one group does. One before it counts how
  /// far running places run, or fills bins that this one adds up in order.
  int stage = 0;
  bool ends_stage = false;  ///< what follows it is of a later launch

  bool operator==(const Phase&) const = default;
};

/// How several work-groups of a device run an instance together: in launches, the stages, behind each of which all see
/// what the others stored. In a stage, the groups divide its loops among each other, and all run what stands outside of
/// phases again.
struct Stages {
  int num = 0;                   ///< 0: one group runs an instance
  bool last_is_divided = false;  ///< several groups run the last stage, too; else one does

  bool operator==(const Stages&) const = default;
};

/// A region of one dimension whose cells work-items may keep while they run an instance.
struct KeptRegion {
  bool is_output = false;
  std::size_t index = 0;  ///< into Rule::outputs or Rule::inputs
  /// The accesses `c.cell(i)` that mean the kept cell, where `i` is the variable of the divided loop around. Of an
  /// output these are all.
  std::vector<ExprId> accesses;
  StmtId first;  ///< the first loop with such an access: it reads an input
  StmtId last;   ///< the last loop that stores an output: it writes the cells to memory

  bool operator==(const KeptRegion&) const = default;
};

/// How work-items may run an instance so that memory is read and written once. Divided loops over the same range give
/// each round to the same work-item, which keeps the cells of its rounds in variables of its own.
struct KeptCells {
  std::vector<KeptRegion> regions;  ///< empty: no cells are kept, and nothing else is known
  std::vector<StmtId> loops;        ///< the divided loops that access kept cells, in the order of the text
  std::string length;               ///< a size variable that is the number of rounds, or more
  std::size_t bytes = 0;            ///< of the cells that a round keeps at a time, at most
  /// Those of the computation. Others neither see nor wait for kept cells, and only loops that write to memory store.
  std::vector<Phase> phases;

  [[nodiscard]] bool any() const { return !regions.empty(); }
};

/// The loops of one rule's body. A loop is in one of the lists, unless it only computes values for others.
struct Computation {
  std::vector<Fold> folds;  ///< in the order of the text: outer loops first
  std::vector<WhyNotFold> others;
  std::vector<MapLoop> maps;          ///< in the order of the text; they are in `others`, too
  std::vector<ScatterLoop> scatters;  ///< in the order of the text; they are in `others`, too
  /// Outputs, by index in Rule::outputs, of which each instance gives every cell a new value before it may read any. Of
  /// outputs that are single elements nothing is said.
  std::vector<std::size_t> filled;
  /// In the order of the text; at least one is divided, unless there are none
  /// (choicegraph/passes/device/find_phases.h).
  std::vector<Phase> phases;
  Stages stages;                           ///< of the phases (choicegraph/passes/device/find_stages.h)
  KeptCells kept;                          ///< (choicegraph/passes/device/find_kept_cells.h)
  bool stores_in_phases = false;           ///< the rule has outputs that are no single elements
  std::optional<Scan> scan;                ///< (choicegraph/passes/computation/find_scan.h)
  std::optional<WhyNotScan> why_not_scan;  ///< of rules that read their own output
  std::vector<WhyNotFold> undivided;  ///< loops at the top of the body, or what keeps all of them from being divided

  /// The fold whose loop is this statement; null if there is none.
  [[nodiscard]] const Fold* find(StmtId loop) const;
  /// The map whose loop is this statement; null if there is none.
  [[nodiscard]] const MapLoop* find_map(StmtId loop) const;
  /// The loop at computed places whose loop is this statement; null if there is none.
  [[nodiscard]] const ScatterLoop* find_scatter(StmtId loop) const;
  /// The head and the accumulators of a loop in one of these lists.
  [[nodiscard]] const Fold& loop_of(StmtId loop) const;
  /// Whether this statement is a loop with running places.
  [[nodiscard]] bool has_running_places(StmtId loop) const;
  /// Whether this statement is a loop whose bins devices update in order.
  [[nodiscard]] bool has_ordered_bins(StmtId loop) const;
  /// Whether work-items combine parts of accumulators at the end of a phase.
  [[nodiscard]] bool has_parts(const Phase& phase) const;
};

/// `+`, `*`, `min`, `max`, `&`, `|`, `^`, `&&`, `||`.
[[nodiscard]] const char* spelling(FoldOp op);
/// The operator that such a text spells; none for other texts.
[[nodiscard]] std::optional<FoldOp> find_fold_op(std::string_view text);
/// `sum in `s``, `smallest in `best` with its place in `at``, and so on.
[[nodiscard]] std::string to_words(const Accumulator& accumulator);

}  // namespace pb
