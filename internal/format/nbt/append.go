package nbt

import (
	"encoding/binary"
	"math"
	"slices"
)

// The Append functions append to dst and return it, as append does. They retain none
// of their arguments. Names and strings are Go strings and become modified UTF-8. If
// that has more than 65,535 bytes, they panic, because NBT cannot hold it.

// AppendHeader appends the header of an entry or of the root. Its payload must
// follow.
func AppendHeader(dst []byte, t Type, name string) []byte {
	return AppendStringPayload(append(dst, byte(t)), name)
}

// AppendRawHeader is AppendHeader for a name in modified UTF-8, as Next returns it.
func AppendRawHeader(dst []byte, t Type, rawName []byte) []byte {
	checkLength(len(rawName))
	dst = append(dst, byte(t))
	dst = binary.BigEndian.AppendUint16(dst, uint16(len(rawName)))
	return append(dst, rawName...)
}

// AppendByte appends an entry of type Byte.
func AppendByte(dst []byte, name string, v int8) []byte {
	return append(AppendHeader(dst, Byte, name), byte(v))
}

// AppendShort appends an entry of type Short.
func AppendShort(dst []byte, name string, v int16) []byte {
	return binary.BigEndian.AppendUint16(AppendHeader(dst, Short, name), uint16(v))
}

// AppendInt appends an entry of type Int.
func AppendInt(dst []byte, name string, v int32) []byte {
	return binary.BigEndian.AppendUint32(AppendHeader(dst, Int, name), uint32(v))
}

// AppendLong appends an entry of type Long.
func AppendLong(dst []byte, name string, v int64) []byte {
	return binary.BigEndian.AppendUint64(AppendHeader(dst, Long, name), uint64(v))
}

// AppendFloat appends an entry of type Float.
func AppendFloat(dst []byte, name string, v float32) []byte {
	return binary.BigEndian.AppendUint32(AppendHeader(dst, Float, name), math.Float32bits(v))
}

// AppendString appends an entry of type String.
func AppendString(dst []byte, name, v string) []byte {
	return AppendStringPayload(AppendHeader(dst, String, name), v)
}

// AppendByteArray appends an entry of type ByteArray.
func AppendByteArray(dst []byte, name string, v []byte) []byte {
	return appendBytes(AppendHeader(dst, ByteArray, name), v)
}

// AppendIntArray appends an entry of type IntArray.
func AppendIntArray(dst []byte, name string, v []int32) []byte {
	return appendInts(AppendHeader(dst, IntArray, name), v)
}

// AppendList appends the header of an entry of type List. n payloads of type elem
// must follow.
func AppendList(dst []byte, name string, elem Type, n int) []byte {
	return AppendListPayload(AppendHeader(dst, List, name), elem, n)
}

// AppendListPayload is AppendList without the entry's header, for lists within
// lists.
func AppendListPayload(dst []byte, elem Type, n int) []byte {
	return binary.BigEndian.AppendUint32(append(dst, byte(elem)), uint32(int32(n)))
}

// AppendCompound appends the header of an entry of type Compound. Entries and
// AppendEnd must follow.
func AppendCompound(dst []byte, name string) []byte { return AppendHeader(dst, Compound, name) }

// AppendEnd closes a compound.
func AppendEnd(dst []byte) []byte { return append(dst, byte(End)) }

func appendBytes(dst, v []byte) []byte {
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(v)))
	return append(dst, v...)
}

func appendInts(dst []byte, v []int32) []byte {
	dst = slices.Grow(dst, 4+4*len(v))
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(v)))
	for _, x := range v {
		dst = binary.BigEndian.AppendUint32(dst, uint32(x))
	}
	return dst
}

func appendLongs(dst []byte, v []int64) []byte {
	dst = slices.Grow(dst, 4+8*len(v))
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(v)))
	for _, x := range v {
		dst = binary.BigEndian.AppendUint64(dst, uint64(x))
	}
	return dst
}
