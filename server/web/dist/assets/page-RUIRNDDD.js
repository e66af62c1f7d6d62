import{a as m}from"/assets/chunk-5D6K5YGM.js";var p=e=>e.main.append(m("h1",null,e.name));export{p as three};
