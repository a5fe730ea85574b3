import {buildGoTest, goTest, launch} from "/tmp/wt/forms/site/test/harness.mjs";
import {test} from "node:test";
const dir="/tmp/kdir"; import {mkdirSync} from "node:fs"; mkdirSync(dir,{recursive:true});
test("x",{timeout:900000}, async (t)=>{
await buildGoTest(dir, "./model/backend/webgpu");
const browser=await launch();
const t0=Date.now();
const {code,output}=await goTest(t,browser,dir,[`-test.run=${process.env.PAT}`,"-test.v"],{MHACSP_GPU:"require"});
console.log(code,(Date.now()-t0)/1000,output.slice(-3000)); await browser.close();
});
