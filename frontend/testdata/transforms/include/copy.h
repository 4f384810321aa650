// SPDX-License-Identifier: MIT
transform Copy
from A[n]
to B[n]
{
  B.cell(i) from (A.cell(i) a) { return a; }
}
