// A server of flying-squid with bots that walk, dig and build: node play.js WORLD LOG. It writes the folder WORLD, and
// to LOG what it writes of chunks: a line before the bytes of a chunk, with them, and one when they and their line of
// the header are there. It says "ready", and ends when its standard input does.
'use strict'
const fs = require('fs')
const net = require('net')
const path = require('path')
const RegionFile = require('prismarine-provider-anvil/src/region')
const mineflayer = require('mineflayer')
const squid = require('flying-squid')

const version = '1.18.2'
const [world, log] = process.argv.slice(2)
const blocks = require('minecraft-data')(version).blocksArray.filter(b => b.boundingBox === 'block').map(b => b.name)
const sleep = ms => new Promise(resolve => setTimeout(resolve, ms))
const below = n => Math.floor(Math.random() * n)

process.on('uncaughtException', err => console.error(err)) // a bot that leaves makes a write to it fail
process.on('unhandledRejection', err => console.error(err))

const out = fs.openSync(log, 'a')
const note = line => fs.writeSync(out, JSON.stringify(line) + '\n')
const { _write: write, writeChunk } = RegionFile.prototype
RegionFile.prototype._write = async function (x, z, nbt) {
  this.chunk = { file: path.basename(this.fileName), x, z } // one at a time in a file
  await write.call(this, x, z, nbt)
  note(this.chunk)
}
RegionFile.prototype.writeChunk = function (sector, data, length) {
  note({ ...this.chunk, doc: data.toString('base64') })
  return writeChunk.call(this, sector, data, length)
}

let stopped = false

// play lets one bot join, act, and leave after a while.
async function play (port, name) {
  const bot = mineflayer.createBot({ host: '127.0.0.1', port, username: name, auth: 'offline', version })
  bot.on('error', err => console.error(err))
  const gone = new Promise(resolve => bot.once('end', resolve))
  await Promise.race([new Promise(resolve => bot.once('spawn', resolve)), gone])
  if (bot.entity && ready.delete(name) && ready.size === 0) console.log('ready')
  const until = Date.now() + 30000 + below(60000)
  while (!stopped && Date.now() < until && bot.entity) {
    act(bot)
    await sleep(200)
  }
  bot.quit()
  await Promise.race([gone, sleep(5000)])
}

// act lets a bot go on: two of them walk, and two stay, dig, and fill their chunks.
function act (bot) {
  const walks = bot.username < 'c'
  const { x, y, z } = bot.entity.position.floored()
  if (below(20) === 0) bot.look(Math.hypot(x, z) < 64 ? Math.random() * 2 * Math.PI : Math.atan2(x, z), 0) // or back
  bot.setControlState('forward', walks || below(6) === 0)
  bot.setControlState('jump', below(3) > 0)
  const under = bot.blockAt(bot.entity.position.offset(0, -1, 0))
  if (!walks && below(4) === 0 && under && under.diggable && !bot.targetDigBlock) bot.dig(under).catch(() => {})
  for (let n = 0; n < (walks ? 1 : 10); n++) bot.chat(`/setblock ${x + below(9) - 4} ${y + below(16) - 2} ${z + below(9) - 4} ${blocks[below(blocks.length)]}`)
}

const names = ['ann', 'bob', 'eve', 'joe']
const ready = new Set(names)

async function main () {
  const free = net.createServer().listen(0, '127.0.0.1')
  await new Promise(resolve => free.once('listening', resolve))
  const port = free.address().port
  await new Promise(resolve => free.close(resolve))
  const server = squid.createMCServer({
    version, port, 'online-mode': false, worldFolder: world, generation: { name: 'diamond_square', options: { worldHeight: 80 } },
    gameMode: 1, difficulty: 1, 'everybody-op': true, 'max-players': 30, 'view-distance': 4, kickTimeout: 60000, logging: false, plugins: {},
    modpe: false, motd: 'a test', 'max-entities': 100, 'player-list-text': { header: { text: '' }, footer: { text: '' } }
  })
  await server.waitForReady(60000)
  const players = names.map(async name => {
    while (!stopped) {
      await play(port, name)
      await sleep(1000)
    }
  })
  await new Promise(resolve => process.stdin.resume().once('end', resolve))
  stopped = true
  await Promise.all(players)
  server.overworld.stopSaving()
  await server.overworld.waitSaving()
  await sleep(1000) // the files of players
  process.exit(0)
}

main()
