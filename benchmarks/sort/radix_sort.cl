// Radix sort after Satish, Harris and Garland, "Designing Efficient Sorting Algorithms for Manycore GPUs", IPDPS 2009, as
// in NVIDIA's sample oclRadixSort: per digit of 4 bits each work-group counts the digits of its tile, the counts of all
// tiles are summed up digit by digit, and each work-group moves its tile, sorted in local memory first so that
// neighbours are written together. Keys are doubles whose bits are turned so that they are ordered as unsigned numbers.
#define ITEMS 256
#define PER_ITEM 4
#define TILE (ITEMS * PER_ITEM)
#define DIGITS 16

// The first pass reads numbers, the last one writes them; the other ones see keys alone.
ulong to_key(ulong bits) { return bits ^ (bits >> 63 ? ~(ulong)0 : (ulong)1 << 63); }
ulong from_key(ulong key) { return key ^ (key >> 63 ? (ulong)1 << 63 : ~(ulong)0); }

// counts[digit * tiles + tile]
__kernel void count(__global const ulong* keys, __global uint* counts, int n, int shift, int is_first, int tiles) {
  __local uint here[DIGITS];
  const int me = get_local_id(0), tile = get_group_id(0);
  if (me < DIGITS) here[me] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = 0; k < PER_ITEM; k++) {
    const int i = tile * TILE + k * ITEMS + me;
    if (i < n) atomic_inc(&here[(is_first ? to_key(keys[i]) : keys[i]) >> shift & (DIGITS - 1)]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (me < DIGITS) counts[me * tiles + tile] = here[me];
}

// Sums of all numbers before each one among the ITEMS work-items of a group; `total` is the sum of all.
uint sum_before(uint value, __local uint* sums, uint* total) {
  const int me = get_local_id(0);
  sums[me] = value;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int distance = 1; distance < ITEMS; distance *= 2) {
    const uint other = me >= distance ? sums[me - distance] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    sums[me] += other;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  const uint inclusive = sums[me];
  *total = sums[ITEMS - 1];
  barrier(CLK_LOCAL_MEM_FENCE);
  return inclusive - value;
}

// Turns a tile of counts into the sums before each of them, and keeps the tile's own sum.
__kernel void sum_tiles(__global uint* counts, __global uint* tile_sums, int n) {
  __local uint sums[ITEMS];
  const int me = get_local_id(0), start = get_group_id(0) * TILE + me * PER_ITEM;
  uint own[PER_ITEM], sum = 0, total;
  for (int k = 0; k < PER_ITEM; k++) {
    own[k] = start + k < n ? counts[start + k] : 0;
    sum += own[k];
  }
  uint before = sum_before(sum, sums, &total);
  for (int k = 0; k < PER_ITEM; k++) {
    if (start + k < n) counts[start + k] = before;
    before += own[k];
  }
  if (me == 0) tile_sums[get_group_id(0)] = total;
}

// The same for the sums of the tiles, by one work-group.
__kernel void sum_sums(__global uint* tile_sums, int n) {
  __local uint sums[ITEMS];
  uint carry = 0, total;
  for (int start = 0; start < n; start += ITEMS) {
    const int i = start + get_local_id(0);
    const uint own = i < n ? tile_sums[i] : 0, before = sum_before(own, sums, &total);
    if (i < n) tile_sums[i] = carry + before;
    carry += total;
  }
}

__kernel void move(__global const ulong* keys, __global ulong* moved, __global const uint* counts,
                   __global const uint* tile_sums, int n, int shift, int is_first, int is_last, int tiles) {
  __local ulong sorted[TILE];
  __local uint sums[ITEMS], starts[DIGITS];
  const int me = get_local_id(0), tile = get_group_id(0), start = tile * TILE, size = min(TILE, n - start);
  ulong own[PER_ITEM];
  uint total;
  // Neighbours stay neighbours: work-item i holds the keys from PER_ITEM * i on. Places behind the end hold the largest key.
  for (int k = 0; k < PER_ITEM; k++) {
    const int i = PER_ITEM * me + k;
    const ulong bits = i < size ? keys[start + i] : 0;
    own[k] = i < size ? (is_first ? to_key(bits) : bits) : ~(ulong)0;
  }
  for (int bit = 0; bit < 4; bit++) {
    uint zeros = 0;
    for (int k = 0; k < PER_ITEM; k++) zeros += !(own[k] >> (shift + bit) & 1);
    uint zero = sum_before(zeros, sums, &total);
    uint one = total + PER_ITEM * me - zero;
    for (int k = 0; k < PER_ITEM; k++) sorted[own[k] >> (shift + bit) & 1 ? one++ : zero++] = own[k];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < PER_ITEM; k++) own[k] = sorted[PER_ITEM * me + k];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  // Where each digit begins in the tile.
  for (int k = 0; k < PER_ITEM; k++) {
    const int i = PER_ITEM * me + k;
    const uint digit = own[k] >> shift & (DIGITS - 1);
    const uint before = i == 0 ? DIGITS : (k == 0 ? sorted[i - 1] : own[k - 1]) >> shift & (DIGITS - 1);
    if (digit != before) starts[digit] = i;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = 0; k < PER_ITEM; k++) {
    const int i = k * ITEMS + me;
    if (i >= size) continue;
    const ulong key = sorted[i];
    const uint digit = key >> shift & (DIGITS - 1), at = digit * tiles + tile;
    moved[counts[at] + tile_sums[at / TILE] + i - starts[digit]] = is_last ? from_key(key) : key;
  }
}
