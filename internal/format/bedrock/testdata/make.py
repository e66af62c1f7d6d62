import struct, sys, os, shutil
from leveldb import LevelDB
from amulet_nbt import *
import amulet_nbt as n
root=sys.argv[1]; N=int(sys.argv[2]) if len(sys.argv)>2 else 3
shutil.rmtree(root,ignore_errors=True); os.makedirs(root+'/db')
def le(c): return NamedTag(c).to_nbt(compressed=False,little_endian=True,string_encoder=n.utf8_encoder)
def ent(name,states,version=18100737): return le(CompoundTag({'name':StringTag(name),'states':CompoundTag(states),'version':IntTag(version)}))
def storage(cells,palette,bits):
    per=32//bits; out=bytes([bits<<1])
    for i in range(0,4096,per):
        w=0
        for j,c in enumerate(cells[i:i+per]): w|=c<<(bits*j)
        out+=struct.pack('<I',w)
    return out+struct.pack('<i',len(palette))+b''.join(palette)
air=ent('minecraft:air',{})
pal=[air,ent('minecraft:stone',{}),ent('minecraft:oak_stairs',{'weirdo_direction':IntTag(2),'upside_down_bit':ByteTag(1)}),ent('minecraft:grass_block',{}),ent('minecraft:oak_log',{'pillar_axis':StringTag('y')})]
water=[air,ent('minecraft:water',{'liquid_depth':IntTag(0)})]
db=LevelDB(root+'/db',True)
def key(x,z,d=0): return struct.pack('<ii',x,z)+(struct.pack('<i',d) if d else b'')
def idx(x,y,z): return x<<8|z<<4|y
nid=0
for d,(lo,hi) in {0:(-4,20),1:(0,8),2:(0,16)}.items():
  R=range(-N,N) if d==0 else range(-1,1)
  for x in R:
    for z in R:
      k=key(x,z,d)
      db.put(k+b'\x2c',b'\x28'); db.put(k+b'\x36',struct.pack('<i',2)); db.put(k+b'\x3b',b'hash!')
      for y in range(lo,2):
        c=[1]*4096; l=[0]*4096
        if y==1:
          c=[0]*4096
          for a in range(16):
            for b in range(16): c[idx(a,0,b)]=3
          c[idx(3,1,5)]=2; l[idx(3,1,5)]=1; c[idx(4,1,5)]=4
          v=bytes([9,2,y&255])+storage(c,pal,3)+storage(l,water,1)
        else: v=bytes([9,1,y&255])+bytes([0])+pal[1]
        db.put(k+b'\x2f'+bytes([y&255]),v)
      hm=struct.pack('<256h',*[(17+(0 if d else 0)-lo*16-0)]*256)
      bi=bytes([1<<0])+struct.pack('<i',1)
      mixed=bytes([(1<<1)])+b'\xff\xff\x00\x00'*128+struct.pack('<iii',2,1,21)
      db.put(k+b'\x2b',hm+bi+mixed+b'\xff'*(hi-lo-2))
      db.put(k+b'\x31',le(CompoundTag({'id':StringTag('Chest'),'x':IntTag(x*16+1),'y':IntTag(17),'z':IntTag(z*16+2),'CustomName':StringTag('Kiste é')})))
      if d==0:
        nid+=1; a=struct.pack('>Q',nid)
        db.put(b'digp'+k,a)
        db.put(b'actorprefix'+a,le(CompoundTag({'identifier':StringTag('minecraft:cow'),'UniqueID':LongTag(nid),'Pos':ListTag([FloatTag(x*16+.5),FloatTag(17.),FloatTag(z*16+3.5)])})))
db.put(b'~local_player',le(CompoundTag({'Pos':ListTag([FloatTag(0.),FloatTag(70.),FloatTag(0.)])})))
db.put(b'BiomeData',le(CompoundTag({})))
db.put(b'gone',b'x'); db.delete(b'gone')
db.put(b'mobevents',b'y'); 
if len(sys.argv)>3: db.compact()
db.close()
lv=NamedTag(CompoundTag({'LevelName':StringTag('Made'),'StorageVersion':IntTag(10)})).to_nbt(compressed=False,little_endian=True,string_encoder=n.utf8_encoder)
open(root+'/level.dat','wb').write(struct.pack('<ii',10,len(lv))+lv)
open(root+'/levelname.txt','w').write('Made')
