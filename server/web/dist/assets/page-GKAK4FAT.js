import{a as m}from"/assets/chunk-O7GWN5I5.js";var p=e=>e.main.append(m("h1",null,e.name));export{p as three};
