"""A frame of scenes/gallery/log_fire.lua by Blender's Cycles, from the OpenVDB file that Billow wrote of it.

blender -b --factory-startup --python samples/blender_fire.py -- frame_0024.vdb picture.png [SAMPLES [WIDTH]]

The shader is what Billow's own pictures are made of (docs/fire.md): soot absorbs, sends out as much of a black body's light as it
absorbs, and scatters little; the flame's front is blue by its area.
"""
import bpy
import math
import sys
from mathutils import Vector

vdb, picture, *rest = sys.argv[sys.argv.index("--") + 1:]
samples, width = (int(x) for x in (rest + ["32", "480"][len(rest):]))
ABSORPTION, FLAME_OPACITY, BRIGHTNESS = 8.0, 0.12, 1.5  # look.absorption, docs/fire.md, look.fire_brightness at 1700 K
PLANCK = 14388 / 0.56  # K, the second radiation constant over the wavelength of green light

bpy.ops.wm.read_factory_settings(use_empty=True)
scene = bpy.context.scene


def up(place):
    """Billow's y is up, Blender's z."""
    return Vector((place[0], -place[2], place[1]))


def new_material(name):
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    material.node_tree.nodes.clear()
    return material, material.node_tree.nodes, material.node_tree.links


fire, nodes, links = new_material("fire")


def grid(name):
    node = nodes.new("ShaderNodeAttribute")
    node.attribute_name = name
    return node.outputs["Fac"]


def math_of(operation, a, b=None):
    node = nodes.new("ShaderNodeMath")
    node.operation = operation
    for n, value in enumerate((a, b)):
        if isinstance(value, float):
            node.inputs[n].default_value = value
        elif value is not None:
            links.new(value, node.inputs[n])
    return node.outputs[0]


def emission(color, strength):
    node = nodes.new("ShaderNodeEmission")
    if isinstance(color, tuple):
        node.inputs[0].default_value = color
    else:
        links.new(color, node.inputs[0])
    links.new(strength, node.inputs[1])
    return node.outputs[0]


def both(a, b):
    node = nodes.new("ShaderNodeAddShader")
    links.new(a, node.inputs[0])
    links.new(b, node.inputs[1])
    return node.outputs[0]


soot = math_of("ADD", math_of("MULTIPLY", grid("density"), ABSORPTION), math_of("MULTIPLY", grid("flame"), FLAME_OPACITY * ABSORPTION))
smoke = nodes.new("ShaderNodeVolumePrincipled")
smoke.inputs["Color"].default_value = (0.2, 0.2, 0.2, 1)
smoke.inputs["Density Attribute"].default_value = ""
links.new(soot, smoke.inputs["Density"])
black_body = nodes.new("ShaderNodeBlackbody")
links.new(grid("temperature"), black_body.inputs[0])
rise = math_of("ADD", math_of("DIVIDE", -PLANCK, grid("temperature")), PLANCK / 1700)
glow = math_of("MULTIPLY", soot, math_of("MULTIPLY", math_of("EXPONENT", rise), BRIGHTNESS))
front = math_of("MULTIPLY", grid("front"), 0.018)  # 0.25, and 0.073 of propane's light
output = nodes.new("ShaderNodeOutputMaterial")
links.new(both(both(smoke.outputs[0], emission(black_body.outputs[0], glow)), emission((0.15, 0.35, 1, 1), front)),
          output.inputs["Volume"])

bpy.ops.object.volume_import(filepath=vdb)
volume = bpy.context.object
volume.location, volume.rotation_euler = (0, 0, 0), (math.pi / 2, 0, 0)
volume.data.materials.append(fire)


def matt(name, color):
    material, its_nodes, its_links = new_material(name)
    diffuse, end = its_nodes.new("ShaderNodeBsdfDiffuse"), its_nodes.new("ShaderNodeOutputMaterial")
    diffuse.inputs[0].default_value = (*color, 1)
    its_links.new(diffuse.outputs[0], end.inputs["Surface"])
    return material


wood = matt("wood", (0.05, 0.03, 0.02))
for n in range(6):  # the logs of the scene
    a = math.radians(60 * n + 20)
    x, z = math.cos(a), math.sin(a)
    ends = up((0.4 * x, 0.045, 0.4 * z)), up((0.05 * x, 0.26, 0.05 * z))
    along = ends[1] - ends[0]
    bpy.ops.mesh.primitive_cylinder_add(radius=0.045, depth=along.length, location=(ends[0] + ends[1]) / 2,
                                        rotation=along.to_track_quat("Z", "Y").to_euler(), vertices=48)
    bpy.context.object.data.materials.append(wood)
    for end in ends:
        bpy.ops.mesh.primitive_uv_sphere_add(radius=0.045, location=end)
        bpy.context.object.data.materials.append(wood)
bpy.ops.mesh.primitive_plane_add(size=30)
bpy.context.object.data.materials.append(matt("ground", (0.073, 0.078, 0.089)))

camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
scene.collection.objects.link(camera)
scene.camera = camera
camera.location = up((1.2, 0.62, 1.7))
camera.rotation_euler = (up((0, 0.5, 0)) - camera.location).to_track_quat("-Z", "Y").to_euler()
camera.data.sensor_fit, camera.data.angle = "VERTICAL", math.radians(35)
scene.world = bpy.data.worlds.new("night")
scene.world.use_nodes = True
scene.world.node_tree.nodes["Background"].inputs[0].default_value = (0.0007, 0.001, 0.0016, 1)

scene.render.engine = "CYCLES"
scene.cycles.samples, scene.cycles.use_denoising = samples, False
scene.cycles.volume_step_rate, scene.cycles.volume_bounces = 2, 1
scene.render.resolution_x, scene.render.resolution_y = width, width * 9 // 16
scene.render.filepath = picture
scene.view_settings.view_transform = "Filmic"
bpy.ops.render.render(write_still=True)
