package picture

import _ "embed"

// families has a line for each family of blocks: its name, its colour from above,
// its look (. solid, ~ water, g glass, t something small on the ground, -
// invisible), and the names of its blocks without namespace and properties. Names
// that follow a pattern (dyes, woods, shapes, ores) are missing here; see
// table.find.
//
//go:embed families.txt
var families string

// woods has for each kind of wood the colours of planks, log and leaves.
const woods = `
oak a2824e 7d6440 48762a
spruce 725430 4f3a1f 3a5f3a
birch c0af79 cbc6b4 5f8a45
jungle a07350 6b5128 3c8a20
acacia a85a32 7c5a45 5f8420
dark_oak 4a3118 3c2e1a 3f6b1e
mangrove 753630 5c3a30 4a7a26
cherry e2b2ac 4f2c36 e5a7c3
pale_oak e3d9d8 8a817a 8f9a8a
bamboo c1ad50 8e8f3f 5f9a2a
crimson 653046 5c2a3b 760302
warped 2b6863 3a5c5a 187a79
`

// dyes has for each dye the colours of wool, concrete and terracotta.
const dyes = `
white e9ecec cfd5d6 d1b1a1
orange f07613 e06100 a15325
magenta bd44b3 a9309f 95576c
light_blue 3aafd9 2389c6 706c8a
yellow f8c527 f0af15 ba8523
lime 70b919 5ea818 677534
pink ed8dac d5658e a14e4e
gray 3e4447 36393d 392a23
light_gray 8e8e86 7d7d73 876a61
cyan 158991 157788 565b5b
purple 792aac 641f9c 764656
blue 35399d 2c2e8f 4a3b5b
brown 724728 603b1f 4d3323
green 546d1b 495b24 4c532a
red a12722 8e2020 8f3d2e
black 1c1d22 101217 251610
`

// minerals has for each ore the colour of its grains.
const minerals = `
coal 2b2b2b
iron d8af93
gold fcee4b
diamond 5decf5
emerald 17dd62
lapis 345ec3
redstone ff3030
copper e0734d
quartz ece6df
`
