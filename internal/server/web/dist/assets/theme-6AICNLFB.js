try{let t=localStorage.getItem("theme");(t==="dark"||t==="light")&&(document.documentElement.dataset.theme=t)}catch{}
