import{a as o}from"/assets/chunk-O7GWN5I5.js";var p=e=>e.main.append(o("h1",null,e.name));export{p as world};
