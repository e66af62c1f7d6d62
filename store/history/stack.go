package history

// packPrice is the cost of a pack in bytes, besides the bytes that it is made from.
const packPrice = 8 << 10

// PackFrom returns the layer from which on a stack, bottom first, is best packed
// into one stone, so that at most high layers are left. It chooses the lowest price
// for each layer that goes away, and of equal prices the lowest layer.
func PackFrom(layers []Layer, high int) int {
	best, from := 0.0, 0
	bytes := int64(packPrice)
	for i := len(layers) - 1; i >= 0; i-- {
		bytes += layers[i].Stone.Size
		gone := len(layers) - 1 - i
		if gone == 0 || i >= max(1, high) || i > 0 && layers[i-1].Upto == layers[i].Upto {
			continue
		}
		if price := float64(bytes) / float64(gone); best == 0 || price <= best {
			best, from = price, i
		}
	}
	return from
}
