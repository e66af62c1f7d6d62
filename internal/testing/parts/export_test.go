package parts

import "context"

// Output is output for tests.
func Output(ctx context.Context, name string, args ...string) (string, error) {
	return output(ctx, nil, name, args...)
}
