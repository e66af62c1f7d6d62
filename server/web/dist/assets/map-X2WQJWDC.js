import{a as m}from"/assets/chunk-O7GWN5I5.js";var a=e=>e.main.append(m("h1",null,e.name));export{a as map};
