// Times fast-surface-nets on boxes of 32 cells with a border, from a file of 34^3 floats each. It
// prints the sum of the least nanoseconds of each box, then the number of triangles.
use fast_surface_nets::ndshape::{ConstShape, ConstShape3u32};
use fast_surface_nets::{surface_nets, SurfaceNetsBuffer};
use std::time::Instant;

type Shape = ConstShape3u32<34, 34, 34>;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let bytes = std::fs::read(&args[1]).unwrap();
    let rounds: usize = args[2].parse().unwrap();
    let floats: Vec<f32> = bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    let boxes: Vec<&[f32]> = floats.chunks_exact(Shape::USIZE).collect();
    let mut buffer = SurfaceNetsBuffer::default();
    let (mut least, mut triangles) = (vec![u128::MAX; boxes.len()], 0);
    for _ in 0..rounds {
        triangles = 0;
        for (i, b) in boxes.iter().enumerate() {
            let start = Instant::now();
            surface_nets(b, &Shape {}, [0; 3], [33; 3], &mut buffer);
            least[i] = least[i].min(start.elapsed().as_nanos());
            triangles += buffer.indices.len() / 3;
        }
    }
    println!("{} {}", least.iter().sum::<u128>(), triangles);
}
