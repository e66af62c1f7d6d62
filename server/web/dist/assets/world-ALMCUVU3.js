import{a as o}from"/assets/chunk-5D6K5YGM.js";var p=e=>e.main.append(o("h1",null,e.name));export{p as world};
