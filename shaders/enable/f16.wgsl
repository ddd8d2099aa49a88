// Types of 16 bits, which take the features SHADER_F16 and SHADER_I16.
//
// Provides:
// Needs:
enable f16;
enable wgpu_int16;
