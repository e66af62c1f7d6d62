// Command minio is MinIO's server, a store of objects that speaks S3.
package main

import (
	"os"

	minio "github.com/minio/minio/cmd"
)

func main() { minio.Main(os.Args) }
