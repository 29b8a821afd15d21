// The mesh of onera_m6.toml, for Gmsh: 0.5 million tetrahedra around ONERA's M6 wing on its symmetry plane, in mm. Beside this file
// must lie onera_m6_fluid_box.stp of github.com/UGAWG/solution-adapt-cases; then
//     gmsh -3 -format msh41 -bin onera_m6.geo -o onera_m6.msh
SetFactory("OpenCASCADE");
volume() = ShapeFromFile("onera_m6_fluid_box.stp");
wing() = Surface In BoundingBox{-500, -200, -200, 2000, 1500, 200};
symmetry() = Surface In BoundingBox{-2e5, -1, -2e5, 2e5, 1, 2e5};
outer() = Abs(Boundary{ Volume{volume(0)}; });
outer() -= wing();
outer() -= symmetry();
Physical Volume("fluid") = {volume(0)};
Physical Surface("wing") = {wing()};
Physical Surface("symmetry") = {symmetry()};
Physical Surface("farfield") = {outer()};

// 12 mm on the wing, less where it is curved, and a ninth of the distance more away from it.
Mesh.MeshSizeMin = 4;
Mesh.MeshSizeMax = 20000;
Mesh.MeshSizeFromCurvature = 30;
Mesh.MeshSizeExtendFromBoundary = 0;
Field[1] = Distance;
Field[1].FacesList = {wing()};
Field[1].NNodesByEdge = 200;
Field[2] = Threshold;
Field[2].InField = 1;
Field[2].SizeMin = 12;
Field[2].SizeMax = 20000;
Field[2].DistMin = 0;
Field[2].DistMax = 180000;
Background Field = 2;
