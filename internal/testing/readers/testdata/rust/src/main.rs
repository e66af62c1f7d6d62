//! Prints the cells of exports as crates read them: `readers linear FOLDER`, `readers vox FILE`.

use std::collections::BTreeMap;
use std::error::Error;
use std::io::{BufWriter, Write};

use dot_vox::{DotVoxData, Rotation, SceneNode};
use fastanvil::{Chunk, JavaChunk};

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().collect();
    match args[1].as_str() {
        "linear" => linear(&args[2]),
        "vox" => vox(&args[2]),
        other => Err(format!("no reader {other}").into()),
    }
}

/// Region files: linearify unpacks them, fastanvil reads the chunks.
fn linear(folder: &str) -> Result<(), Box<dyn Error>> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    for file in std::fs::read_dir(folder)? {
        let region = linearify::open_linear(file?.path().to_str().unwrap())?;
        for raw in region.chunks.into_iter().flatten() {
            let chunk = JavaChunk::from_bytes(&raw.raw_chunk)?;
            for y in chunk.y_range() {
                for z in 0..16 {
                    for x in 0..16 {
                        let Some(block) = chunk.block(x, y, z) else { continue };
                        let name = match block.encoded_description().split_once('|') {
                            Some((name, "")) => name.to_string(),
                            Some((name, properties)) => format!("{name}[{properties}]"),
                            None => block.name().to_string(),
                        };
                        if name != "minecraft:air" {
                            writeln!(out, "{} {} {} 1 {}", 16 * raw.x + x as i64, y, 16 * raw.z + z as i64, name)?;
                        }
                    }
                }
            }
        }
    }
    Ok(out.flush()?)
}

type Matrix = [[f32; 3]; 3]; // rows
type Point = [f32; 3];

/// A scene of MagicaVoxel in cairn's axes: x, z and -1 - y. What places the models is done here, by the specification.
fn vox(path: &str) -> Result<(), Box<dyn Error>> {
    let scene = dot_vox::load(path)?;
    let mut cells = BTreeMap::new();
    let still = rows(Rotation::IDENTITY);
    if scene.scenes.is_empty() {
        paint(&scene, 0, still, [0.0; 3], &mut cells);
    } else {
        visit(&scene, 0, still, [0.0; 3], &mut cells);
    }
    let mut out = BufWriter::new(std::io::stdout().lock());
    for ((x, y, z), i) in cells {
        let c = &scene.palette[i as usize];
        writeln!(out, "{x} {y} {z} 1 rgb:{:02x}{:02x}{:02x}", c.r, c.g, c.b)?;
    }
    Ok(out.flush()?)
}

fn rows(r: Rotation) -> Matrix {
    let columns = r.to_cols_array_2d();
    std::array::from_fn(|i| std::array::from_fn(|k| columns[k][i]))
}

fn times(m: Matrix, p: Point) -> Point {
    std::array::from_fn(|i| (0..3).map(|k| m[i][k] * p[k]).sum())
}

fn visit(scene: &DotVoxData, node: u32, m: Matrix, at: Point, cells: &mut BTreeMap<(i32, i32, i32), u8>) {
    match &scene.scenes[node as usize] {
        SceneNode::Transform { attributes, frames, child, layer_id } => {
            let layer = scene.layers.get(*layer_id as usize);
            if attributes.get("_hidden").is_some_and(|v| v == "1") || layer.is_some_and(|l| l.hidden()) {
                return;
            }
            let own = frames[0].attributes.get("_r").map_or(Rotation::IDENTITY, |r| Rotation::from_byte(r.parse().unwrap()));
            let by = frames[0].position().map_or([0.0; 3], |p| [p.x as f32, p.y as f32, p.z as f32]);
            let (own, by) = (rows(own), times(m, by));
            let turned = std::array::from_fn(|i| std::array::from_fn(|k| (0..3).map(|j| m[i][j] * own[j][k]).sum()));
            visit(scene, *child, turned, std::array::from_fn(|i| at[i] + by[i]), cells);
        }
        SceneNode::Group { children, .. } => children.iter().for_each(|c| visit(scene, *c, m, at, cells)),
        SceneNode::Shape { models, .. } => paint(scene, models[0].model_id as usize, m, at, cells),
    }
}

fn paint(scene: &DotVoxData, model: usize, m: Matrix, at: Point, cells: &mut BTreeMap<(i32, i32, i32), u8>) {
    let model = &scene.models[model];
    let half = [model.size.x / 2, model.size.y / 2, model.size.z / 2];
    for v in &model.voxels {
        let from = std::array::from_fn(|i| [v.x, v.y, v.z][i] as f32 + 0.5 - half[i] as f32);
        let p = times(m, from);
        let [x, y, z]: [i32; 3] = std::array::from_fn(|i| (p[i] + at[i]).floor() as i32);
        cells.insert((x, z, -1 - y), v.i);
    }
}
