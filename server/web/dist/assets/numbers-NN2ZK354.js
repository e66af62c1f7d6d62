import{a as e}from"/assets/chunk-O7GWN5I5.js";var o=m=>m.main.append(e("h1",null,"Numbers"));export{o as numbers};
