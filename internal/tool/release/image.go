package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// authorities is the file with the certificates that programs trust. The image has the building
// machine's: cairn needs them to call S3 by TLS.
const authorities = "etc/ssl/certs/ca-certificates.crt"

// serverUser is the number of the user in the image, as deploy/Dockerfile has it.
const serverUser = 7070

// image returns an image of a container with one layer, as a tar in the layout of OCI. manifest.json
// is for a docker load that does not know that layout.
func (r *release) image(exe file, arch string) ([]byte, error) {
	trusted, err := read(authorities, "/"+authorities, 0o644)
	if err != nil {
		return nil, err
	}
	exe.mode = 0o755
	layer, err := tarOf("", append(below("usr/local/bin", exe), trusted,
		file{name: "etc/passwd", mode: 0o644, content: fmt.Appendf(nil, "root:x:0:0:root:/root:/sbin/nologin\ncairn:x:%[1]d:%[1]d:cairn:/data:/sbin/nologin\n", serverUser)},
		file{name: "etc/group", mode: 0o644, content: fmt.Appendf(nil, "root:x:0:\ncairn:x:%d:\n", serverUser)},
		file{name: "data/", mode: 0o700, owner: serverUser},
		file{name: "tmp/", mode: 0o1777},
	), r.time)
	if err != nil {
		return nil, err
	}
	packed, err := gzipped(layer)
	if err != nil {
		return nil, err
	}
	o := &layout{time: r.time}
	blob := o.blob("application/vnd.oci.image.layer.v1.tar+gzip", packed)
	config := o.json("application/vnd.oci.image.config.v1+json", object{
		"created": r.time.Format(time.RFC3339), "architecture": arch, "os": "linux",
		"config": object{
			"User": fmt.Sprint(serverUser), "WorkingDir": "/data",
			"Env":          []string{"PATH=/usr/local/bin"},
			"Entrypoint":   []string{"/usr/local/bin/cairn"},
			"Cmd":          []string{"serve", "--store", "local:/data/store", "--listen", "0.0.0.0:7070", "--tokens", "/data/tokens.json"},
			"ExposedPorts": object{"7070/tcp": object{}, "7071/tcp": object{}},
			"Volumes":      object{"/data": object{}},
			"StopSignal":   "SIGTERM",
			"Labels":       object{"org.opencontainers.image.title": "cairn", "org.opencontainers.image.version": r.version, "org.opencontainers.image.licenses": "MIT"},
		},
		"rootfs":  object{"type": "layers", "diff_ids": []string{digest(layer)}},
		"history": []object{{"created": r.time.Format(time.RFC3339), "created_by": "./release " + r.version}},
	})
	manifest := o.json("application/vnd.oci.image.manifest.v1+json", object{
		"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json", "config": config, "layers": []object{blob},
	})
	manifest["platform"] = object{"architecture": arch, "os": "linux"}
	manifest["annotations"] = object{"org.opencontainers.image.ref.name": r.version, "io.containerd.image.name": "docker.io/library/cairn:" + r.version}
	o.file("oci-layout", object{"imageLayoutVersion": "1.0.0"})
	o.file("index.json", object{"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": []object{manifest}})
	o.file("manifest.json", []object{{"Config": blobPath(config), "RepoTags": []string{"cairn:" + r.version}, "Layers": []string{blobPath(blob)}}})
	if o.err != nil {
		return nil, o.err
	}
	return tarOf("", o.files, r.time)
}

// object is a JSON object. Its keys are written in order.
type object = map[string]any

// layout is an image in the layout of OCI: files that are named by their checksums.
type layout struct {
	time  time.Time
	files []file
	err   error
}

// blob adds a file, and returns what refers to it.
func (o *layout) blob(kind string, content []byte) object {
	ref := object{"mediaType": kind, "digest": digest(content), "size": len(content)}
	o.files = append(o.files, file{name: blobPath(ref), mode: 0o644, content: content})
	return ref
}

func (o *layout) json(kind string, v any) object {
	return o.blob(kind, o.encoded(v))
}

func (o *layout) file(name string, v any) {
	o.files = append(o.files, file{name: name, mode: 0o644, content: o.encoded(v)})
}

func (o *layout) encoded(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil && o.err == nil {
		o.err = err
	}
	return b
}

func digest(content []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(content)) }

// blobPath returns where a blob lies in the layout.
func blobPath(ref object) string {
	return "blobs/" + strings.Replace(ref["digest"].(string), ":", "/", 1)
}
