package grid

type far struct{}
