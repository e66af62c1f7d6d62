import{a as e}from"/assets/chunk-5D6K5YGM.js";var o=m=>m.main.append(e("h1",null,"Numbers"));export{o as numbers};
