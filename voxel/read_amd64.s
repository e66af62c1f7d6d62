#include "go_asm.h"
#include "textflag.h"

// For each cell of a row the changes that make up the number of its run: those
// of bits 1..x, in the low and in the high half of the mask.
DATA low<>+0(SB)/8, $0x000e000600020000
DATA low<>+8(SB)/8, $0x00fe007e003e001e
DATA low<>+16(SB)/8, $0x0ffe07fe03fe01fe
DATA low<>+24(SB)/8, $0xfffe7ffe3ffe1ffe
DATA low<>+32(SB)/8, $0xfffefffefffefffe
DATA low<>+40(SB)/8, $0xfffefffefffefffe
DATA low<>+48(SB)/8, $0xfffefffefffefffe
DATA low<>+56(SB)/8, $0xfffefffefffefffe
GLOBL low<>(SB), RODATA|NOPTR, $64

DATA high<>+0(SB)/8, $0x0000000000000000
DATA high<>+8(SB)/8, $0x0000000000000000
DATA high<>+16(SB)/8, $0x0000000000000000
DATA high<>+24(SB)/8, $0x0000000000000000
DATA high<>+32(SB)/8, $0x000f000700030001
DATA high<>+40(SB)/8, $0x00ff007f003f001f
DATA high<>+48(SB)/8, $0x0fff07ff03ff01ff
DATA high<>+56(SB)/8, $0xffff7fff3fff1fff
GLOBL high<>(SB), RODATA|NOPTR, $64

// Whatever it is given, a kernel reads nothing outside data: coordinates are cut
// to 0..31, places to those of a whole list, for which data has room (padForReads),
// and a row, of which 68 bytes are read, has at least 6 and 64 of headers behind.

// func expandWide(c *Chunk, y, z int, buf *[64]Cell) Cell
TEXT ·expandWide(SB), NOSPLIT, $0-34
	MOVQ c+0(FP), SI
	MOVQ y+8(FP), CX
	MOVQ z+16(FP), DX
	MOVQ buf+24(FP), DI
	ANDL $31, CX
	ANDL $31, DX
	MOVWLZX Chunk_slices(SI)(CX*2), AX
	MOVQ Chunk_data(SI), SI
	PREFETCHT0 (SI)
	ADDL DX, AX
	MOVWLZX -0x10000(SI)(AX*2), AX
	MOVW AX, ret+32(FP)
	TESTW AX, AX
	JPL  uniform
	LEAQ -0x10000(SI)(AX*2), R8

	// Z0: the number of each cell's run.
	VPBROADCASTW (R8), Z0
	VPBROADCASTW 2(R8), Z1
	VPANDD low<>(SB), Z0, Z0
	VPANDD high<>(SB), Z1, Z1
	VPOPCNTW Z0, Z0
	VPOPCNTW Z1, Z1
	VPADDW Z1, Z0, Z0
	TESTB $1, (R8)
	JNE  cells

	// Z3: the cell of each run, by its place in the list.
	VMOVDQU64 (SI), Z5
	VPMOVZXBW 4(R8), Z3
	VPERMI2W 64(SI), Z5, Z3
	VPERMW Z3, Z0, Z3
	VMOVDQU64 Z3, (DI)
	VZEROUPPER
	RET
cells:
	VPERMW 4(R8), Z0, Z3
	VMOVDQU64 Z3, (DI)
	VZEROUPPER
uniform:
	RET

// func readCell(c *Chunk, x, y, z int) Cell
TEXT ·readCell(SB), NOSPLIT, $0-34
	CMPB ·wide(SB), $0
	JEQ  plain
	MOVQ c+0(FP), SI
	MOVQ x+8(FP), CX
	MOVQ y+16(FP), BX
	MOVQ z+24(FP), DX
	ANDL $31, CX
	ANDL $31, BX
	ANDL $31, DX
	MOVWLZX Chunk_slices(SI)(BX*2), AX
	CMPL AX, $const_patchMark
	JEQ  plain
	CMPQ Chunk_data+8(SI), $const_ChunkCells
	JEQ  flat
	MOVQ Chunk_data(SI), DI
	PREFETCHT0 (DI)
	ADDL DX, AX
	MOVWLZX -0x10000(DI)(AX*2), AX
	TESTW AX, AX
	JPL  uniform
	LEAQ -0x10000(DI)(AX*2), R8
	MOVL (R8), AX
	XORL $31, CX
	SHLXL CX, AX, BX
	POPCNTL BX, BX
	TESTL $1, AX
	JNE  cells
	MOVBLZX 4(R8)(BX*1), DX
	ANDL $const_maxBytes-1, DX
	MOVWLZX (DI)(DX*2), AX
	MOVW AX, ret+32(FP)
	RET
cells:
	MOVWLZX 2(R8)(BX*2), AX
uniform:
	MOVW AX, ret+32(FP)
	RET
flat:
	MOVQ Chunk_data(SI), DI
	SHLL $5, BX
	ADDL DX, BX
	SHLL $5, BX
	ADDL CX, BX
	MOVWLZX (DI)(BX*2), AX
	MOVW AX, ret+32(FP)
	RET
plain:
	JMP ·plainCell(SB)

// func cpuid(leaf, sub uint32) (b, c uint32)
TEXT ·cpuid(SB), NOSPLIT, $0-16
	MOVL leaf+0(FP), AX
	MOVL sub+4(FP), CX
	CPUID
	MOVL BX, b+8(FP)
	MOVL CX, c+12(FP)
	RET

// func xgetbv() uint32
TEXT ·xgetbv(SB), NOSPLIT, $0-4
	XORL CX, CX
	XGETBV
	MOVL AX, ret+0(FP)
	RET
