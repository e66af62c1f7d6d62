package geom

// cairnRunsOn64BitSystemsOnly does not fit into an int of 32 bits, so that a build for such a
// system ends here and says why: numbers of cells, and offsets into stones, need more bits.
const cairnRunsOn64BitSystemsOnly = 1 << 62

var _ int = cairnRunsOn64BitSystemsOnly
