# SPDX-License-Identifier: MIT
"""Random statements about regions as a whole: handles, functions of prefix blocks, new matrices, calls of transforms."""

import body_tree as tree
from body_tree import Assign, Literal, Name, View, is_real, number_of, zero
from random_bodies import BodyMaker
from random_loops import filled
from visible_names import Hidden, NO_LOOP_NAMES, Number, Region

ELEMENT_WORDS = {"uchar": "unsigned char", "ushort": "unsigned short"}


class HandleMaker(BodyMaker):
    """Draws statements for the outermost block of a body: what they declare is visible to its end."""

    def __init__(self, rng, surroundings, result=None):
        super().__init__(rng, surroundings, result)
        self.num_handles = 0

    def handle_word(self, kind, num_dims, is_const):
        const = "Const" if is_const else ""
        if kind == self.given.element and self.chance(0.6):
            return f"{const}MatrixRegion{num_dims}D"
        word = "ElementT" if kind == self.given.element and self.chance(0.5) else ELEMENT_WORDS.get(kind, kind)
        return f"{const}MatrixRegion<{word}, {num_dims}>"

    def readable(self, num_dims=None):
        return [r for r in self.regions if not r.is_output and (num_dims is None or len(r.extents) == num_dims)]

    # ---- handles

    def view_of(self, region):
        """(a part of a region, its extents)."""
        kinds = ["", "transposed"]
        if all(map(self.is_positive, region.extents)):
            kinds += ["region", "region", "slice"] if len(region.extents) > 1 else ["region"]
            kinds += ["row", "column"] if len(region.extents) == 2 else []
        op = self.pick(*kinds)
        if op in ("", "transposed"):
            return View(region.name, op, [], region.type), region.extents[::-1] if op else region.extents
        if op == "region":
            return self.box_of(region)
        d = {"row": 1, "column": 0}.get(op, int(self.rng.integers(len(region.extents))))
        place = [self.index(region.extents[d], 1)]
        number = [Literal(str(d), d, "int")] if op == "slice" else []
        return View(region.name, op, number + place, region.type), region.extents[:d] + region.extents[d + 1:]

    def box_of(self, region):
        lows, highs, extents = [], [], []
        for extent in region.extents:
            if self.chance(0.5):
                lows.append(zero())
                highs.append(number_of(extent))
                extents.append(extent)
            else:
                lows.append(self.index(extent, 1))
                highs.append(self.binary("+", lows[-1], Literal("1", 1, "int")))
                extents.append(1)
        return View(region.name, "region", lows + highs, region.type), extents

    def handle_stmts(self):
        """Statements that make a handle, as in `ConstMatrixRegion1D line = a.row(2);`, which is a region like others then."""
        sources = self.readable()
        if not sources:
            return []
        region = self.pick(*sources)
        view, extents = self.view_of(region)
        word = "auto" if self.chance(0.3) else self.handle_word(region.type, len(extents), True)
        self.num_handles += 1
        name = f"part{self.num_handles}"
        self.regions.append(Region(name, region.type, list(extents), is_exact=region.is_exact))
        return [tree.DeclareRegion(word, name, view)]

    def function_stmts(self):
        """Statements that call a function on a part of a region: `double t = total(a.row(2));`"""
        lines, planes = self.readable(1), [r for r in self.readable(2) if r.type == self.given.element]
        if not lines + planes:
            return []
        region = self.pick(*lines, *planes)
        name = self.fresh_name(NO_LOOP_NAMES)
        self.scopes[-1].append(Hidden(name))
        arg = View(region.name, "", [], region.type)
        if len(region.extents) == 2:
            value = tree.Call("corner", "corner", [arg], "double")
        elif self.chance(0.5):
            value = tree.Call("total", "total", [arg], "double")
        else:
            value = tree.Call("above", "above", [arg, self.as_int(self.integer(1))], "int")
        self.scopes[-1][-1] = Number(name, value.type, True)
        return [tree.Declare(value.type, value.type, name, value)]

    def new_matrix_stmts(self, kind, extents):
        """Statements that make and fill a new matrix, and its region."""
        self.num_handles += 1
        region = Region(f"made{self.num_handles}", kind, list(extents), True)
        stmts = [tree.DeclareRegion(self.handle_word(kind, len(extents), False), region.name, [number_of(e) for e in extents])]
        self.regions.append(region)
        stmts += filled(self, region)
        region.is_output = self.chance(0.3)
        return stmts, region

    # ---- loops whose step is a constant of `duplicate`

    def strip_stmts(self, step):
        """A sum over a line in strips of `step`, in the order of a plain loop."""
        lines = self.readable(1)
        if not lines:
            return []
        region = self.pick(*lines)
        kind = "double" if is_real(region.type) else "long"
        name = self.fresh_name(NO_LOOP_NAMES)
        limit = number_of(region.extents[0])
        at = self.binary("+", Name("strip", "int"), Name("lane1", "int"))
        inside = self.binary("<", at, limit)
        cell = tree.Cell(region.name, [at], region.type)
        add = tree.If(inside, [Assign(Name(name, kind), "+=", cell)], None)
        inner = tree.For([tree.Declare("int", "int", "lane1", zero())], self.binary("<", Name("lane1", "int"), Name(step, "int")),
                         [tree.Evaluate(tree.Step("lane1", True, "++", "int"))], [add])
        outer = tree.For([tree.Declare("int", "int", "strip", zero())], self.binary("<", Name("strip", "int"), limit),
                         [Assign(Name("strip", "int"), "+=", Name(step, "int"))], [inner])
        self.scopes[-1].append(Number(name, kind, True))
        return [tree.Declare(kind, kind, name, zero()), outer]

    # ---- calls

    def argument(self, matrix, extents):
        """(statements before, the argument) for an input of a callee: a region that fits, else a new one."""
        if not extents:
            return [], self.macro_argument(matrix.type, 1) if self.chance(0.5) else self.number(1)
        fitting = [r for r in self.readable() if r.type == matrix.type and r.extents == extents and r.is_exact]
        if fitting and self.chance(0.8):
            return [], View(self.pick(*fitting).name, "", [], matrix.type)
        stmts, region = self.new_matrix_stmts(matrix.type, extents)
        return stmts, View(region.name, "", [], matrix.type)

    def call_stmts(self, callee, target=None):
        """Statements that call a transform with what there is, and make the rest; its outputs are regions then.

        `target`: the region that its first output is to be.
        """
        extents = sorted({e for r in self.readable() for e in r.extents}, key=str) + [1, 3]
        bound = {size: self.pick(*extents) for size in callee.size_names}
        if target is not None:
            bound.update(zip(callee.outputs()[0].sizes, target.extents))
        before, inputs, outputs, made = [], [], [], []
        for m in callee.inputs:
            stmts, arg = self.argument(m, [bound[size] for size in m.sizes])
            before += stmts
            inputs.append(arg)
        for m in callee.outputs():
            if target is not None and not outputs:
                outputs.append(View(target.name, "", [], m.type))
                continue
            wanted = [int(size) if size.isdigit() else bound[size] for size in m.sizes]
            stmts, out, found = self.receiver(m, wanted, [view.region for view in (*inputs, *outputs) if isinstance(view, View)])
            before += stmts
            outputs.append(out)
            made.append(found)
        is_spawned = self.chance(0.3)
        call = tree.CallTransform(callee, callee.called_as, outputs, inputs, is_spawned)
        for found in made:
            if found is not None:
                (self.scopes[-1] if isinstance(found, Number) else self.regions).append(found)
        return [*before, call, *([tree.Sync()] if is_spawned else [])]

    def halves(self, transform, access, self_name):
        """A body that divides the extent `n`: the smallest by itself, others by two calls. `access`: its only output."""
        output = next(r for r in self.regions if r.name == access.binding)
        least = self.pick(2, 3, 5)
        n, half = Name("n", "int"), Name("half1", "int")
        with self.scope():
            leaf = filled(self, output)
        division = self.pick(self.binary("/", n, Literal("2", 2, "int")), self.binary("-", n, Literal("1", 1, "int")))

        def part(matrix, name, low, high):
            bounds = [(low, high) if size == "n" else (zero(), number_of(size)) for size in matrix.sizes]
            return View(name, "region", [b[0] for b in bounds] + [b[1] for b in bounds], matrix.type) if bounds else Name(matrix.name, matrix.type)
        calls = []
        for low, high in self.pick(((zero(), half), (half, n)), ((half, n), (zero(), half))):
            inputs = [part(m, f"in{m.name}", low, high) for m in transform.inputs]
            target = part(access.matrix, output.name, low, high)
            calls.append(tree.CallTransform(transform, self_name, [target], inputs, self.chance(0.6)))
        sync = [tree.Sync()] if any(call.is_spawned for call in calls) else []
        return [tree.If(self.binary("<", n, Literal(str(least), least, "int")), [*leaf, tree.Return(None)], None),
                tree.Declare("const int", "int", "half1", division), *calls, *sync]

    def receiver(self, matrix, extents, taken):
        """(statements before, the argument, what it is after the call) for an output of a callee: no region in `taken`."""
        self.num_handles += 1
        name = f"got{self.num_handles}"
        if not extents:
            return [tree.Declare("ElementT", self.given.element, name, zero())], Name(name, self.given.element), \
                Number(name, self.given.element, True)
        outputs = [r for r in self.regions
                   if r.is_output and r.type == matrix.type and r.extents == extents and r.name not in taken]
        if outputs and self.chance(0.5):
            region = outputs[0]
            return [], View(region.name, "", [], matrix.type), None
        word = self.handle_word(matrix.type, len(extents), False)
        return [tree.DeclareRegion(word, name, [number_of(e) for e in extents])], View(name, "", [], matrix.type), \
            Region(name, matrix.type, list(extents))
