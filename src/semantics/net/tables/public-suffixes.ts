/**
 * Public suffixes: under which names do registries and hosting services give names to the public?
 * Covered: all country-code top-level domains with their common second levels, the original generic top-level domains, the
 * generic ones of recent years that are in wide use, internationalised country domains, and well-known hosting services.
 * Not covered: geographic third levels (Japanese cities, Norwegian municipalities, US states), and rare brands.
 */

/** Generic top-level domains. */
export const GENERIC_TLDS = `
com net org edu gov mil int arpa info biz name pro aero coop museum jobs mobi travel tel cat post asia xxx
abogado academy accountant accountants actor adult agency airforce amsterdam apartments app archi army art associates
attorney auction audio auto autos baby band bank bar barcelona bargains basketball bayern beauty beer berlin best bet
bible bid bike bingo bio black blog blue boats bond boo book boston bot boutique box broker brussels build builders
business buzz bzh cab cafe cam camera camp capetown capital car cards care career careers cars casa cash casino catering
center ceo cfd charity chat cheap christmas church city claims cleaning click clinic clothing cloud club coach codes
coffee college cologne community company compare computer condos construction consulting contact contractors cooking cool
corsica country coupon coupons courses credit creditcard creditunion cricket cruises cymru cyou dad dance data date
dating day deal dealer deals degree delivery democrat dental dentist desi design dev diamonds diet digital direct
directory discount diy doctor dog domains download drive durban earth eat eco education email energy engineer engineering
enterprises equipment esq estate eus events exchange expert exposed express fail faith family fan fans farm fashion fast
feedback film finance financial fish fishing fit fitness flights florist flowers fly foo food football forex forsale
forum foundation free frl fun fund furniture futbol fyi gal gallery game games garden gay gent gift gifts gives giving glass
global gmbh gold golf google goog graphics gratis green gripe grocery group guide guitars guru hair hamburg haus health
healthcare help helsinki here hiphop hiv hockey holdings holiday homes horse hospital host hosting hot hotels house how
icu immo immobilien inc industries ing ink institute insurance insure international investments irish ist istanbul
jetzt jewelry joburg juegos kaufen kids kim kitchen kiwi koeln koln kyoto land lat latino law lawyer lease legal lgbt
life lifestyle lighting limited limo link living llc loan loans lol london lotto love ltd ltda luxe luxury madrid
maison makeup management mango market marketing markets mba med media meet melbourne meme memorial men menu miami moda moe
moi mom money monster mortgage moscow motorcycles mov movie music nagoya navy network new news nexus ngo ninja now nowruz nrw
nyc observer okinawa one ong onl online ooo open organic osaka page paris partners parts party pet pharmacy phd
phone photo photography photos physio pics pictures pink pizza place play plumbing plus poker porn press prime prod
productions prof promo properties property protection pub quebec racing radio read realestate realty recipes red rehab
reise reisen rent rentals repair report republican rest restaurant review reviews rich rio rip rocks rodeo room rsvp
rugby ruhr run ryukyu saarland safe sale salon save scholarships school schule science scot search secure security select
services sex sexy shiksha shoes shop shopping show singles site ski skin soccer social software solar solutions soy spa
space sport spot srl stockholm storage store stream studio study style sucks supplies supply support surf surgery swiss
sydney systems tatar tattoo tax taxi team tech technology tennis theater theatre tickets tienda tips tires tirol
today tokyo tools top tours town toys trade trading training tube university uno vacations vegas ventures versicherung
vet viajes video villas vin vip vision vodka vote voting voto voyage wales wang watch watches weather webcam website wed
wedding wien wiki win wine winners work works world wow wtf xin xyz yachts yoga yokohama you zip zone zuerich
amazon android apple audible aws azure bbc bing bloomberg bmw bosch canon chrome cisco citic dell
docs fedex ferrari ford gle gmail gmx honda hsbc hyundai ibm intel jcb kpmg lego lexus microsoft mini
netflix nike nissan nokia office oracle orange philips pioneer playstation prudential ricoh samsung sap saxo schwarz seat sky
skype sony suzuki telefonica toshiba toyota tui vivo volvo walmart windows xbox xerox yahoo yandex youtube zara zappos
`;

/** Top-level domains of countries in their own scripts. */
export const INTERNATIONAL_TLDS = `
中国 中國 香港 台湾 台灣 新加坡 澳門 澳门 公司 网络 網絡 政务 网址 在线 中文网 商城 网店 我爱你 集团 公益 移动 广东 佛山 手机 世界 机构 网站 商店 娱乐 餐厅
рф бел укр срб мкд мон қаз бг ею москва онлайн сайт орг дети ком ελ ευ հայ გე ישראל קום
భారత్ ভারত বাংলা ભારત भारत भारतम् भारोत ಭಾರತ ഭാരതം ਭਾਰਤ ଭାରତ இந்தியா இலங்கை சிங்கப்பூர் ලංකා ไทย ລາວ 한국 닷컴 닷넷 삼성
امارات السعودية الاردن الجزائر المغرب اليمن ایران بارت بھارت پاکستان تونس سودان سورية عراق عمان فلسطين قطر مصر مليسيا موريتانيا
みんな コム グーグル ストア セール クラウド ポイント ファッション संगठन नेट คอม
`;

/** Each country-code top-level domain and, under it, the second levels that are given to the public. */
export const COUNTRY_SUFFIXES = `
ac com edu gov net mil org
ad nom
ae co net org sch ac gov mil
af gov com org net edu
ag com org net co nom
ai off com net org uwu
al com edu gov mil net org
am co com commune net org
ao ed gv og co pb it
aq
ar com edu gob gov int mil musica net org tur bet coop mutual seg senasa
as gov
at ac co gv or
au com net org edu gov asn id info conf oz act nsw nt qld sa tas vic wa
aw com
ax
az com net int gov org edu info pp mil name pro biz
ba com edu gov mil net org
bb biz co com edu gov info net org store tv
bd
be ac
bf gov
bg
bh com edu net org gov
bi co com edu or org
bj asso barreau gouv com edu gov org
bm com edu gov net org
bn com edu gov net org
bo com edu gob int org net mil tv web
br com net org gov edu mil adm adv agr app arq art ato b bio blog bmd cim cng cnt coop dev ecn eco emp eng esp etc eti far flog floripa fm fnd fot fst g12 ggf ind inf jor jus leg lel log mat med mp mus not ntr odo ong ppg pro psc psi qsl radio rec rep sjc slg srv taxi tec teo tmp trd tur tv vet vlog wiki zlg
bs com net org edu gov
bt com edu gov net org
bv
bw co org
by gov mil com of
bz com net org edu gov co za
ca ab bc mb nb nf nl ns nt nu on pe qc sk yk gc
cc
cd gov
cf
cg
ch
ci org or com co edu ed ac net go asso int gouv
ck
cl co gob gov mil
cm co com gov net
cn ac com edu gov net org mil ah bj cq fj gd gs gz gx ha hb he hi hl hn jl js jx ln nm nx qh sc sd sh sn sx tj xj xz yn zj hk mo tw
co com edu gov mil net nom org arts firm info int rec web
cr ac co ed fi go or sa
cu com edu org net gov inf
cv com edu int nome org
cw com edu net org
cx gov
cy ac biz com ekloges gov ltd mil net org press pro tm
cz
de
dj
dk
dm com net org edu gov co
do art com edu gob gov mil net org sld web
dz art asso com edu gov org net pol soc tm
ec com info net fin k12 med pro org edu gov gob mil
ee edu gov riik lib med com pri aip org fie
eg com edu eun gov mil name net org sci ac me tv
er
es com nom org gob edu
et com gov org edu biz name info net
eu
fi aland
fj ac biz com gov info mil name net org pro
fk
fm com edu net org
fo
fr asso com gouv nom prd tm avoues cci greta huissier-justice
ga
gb
gd edu gov
ge com edu gov org mil net pvt school
gf
gg co net org
gh com edu gov org mil
gi com ltd gov mod edu org
gl co com edu net org
gm
gn ac com edu gov org net
gp com net mobi edu org asso
gq
gr com edu net org gov
gs
gt com edu gob ind mil net org
gu com edu gov guam info net org web
gw
gy co com edu gov net org
hk com edu gov idv net org
hm
hn com edu org net mil gob
hr iz from name com
ht com shop firm info adult net pro org med art coop pol asso edu rel gouv perso
hu co info org priv sport tm 2000 agrar bolt casino city erotica erotika film forum games hotel ingatlan jogasz konyvelo lakas media news reklam sex shop suli szex tozsde utazas video
id ac biz co desa go mil my net or ponpes sch web
ie gov
il ac co gov idf k12 muni net org
im ac co com net org tt tv
in co com firm net org gen ind ac edu res gov mil nic io ai am bank biz business ca cn coop cs delhi dr er gujarat info int internet me pg post pro travel tv uk up us
io com co gov
iq gov edu mil com org net
ir ac co gov id net org sch
is
it gov edu
je co net org
jm
jo com org net edu sch gov mil name
jp ac ad co ed go gr lg ne or
ke ac co go info me mobi ne or sc
kg org net com edu gov mil
kh
ki edu biz net org gov info com
km org nom gov prd tm edu mil ass com coop asso presse medecin notaires pharmaciens veterinaire gouv
kn net org edu gov
kp com edu gov org rep tra
kr ac co es go hs kg mil ms ne or pe re sc busan chungbuk chungnam daegu daejeon gangwon gwangju gyeongbuk gyeonggi gyeongnam incheon jeju jeonbuk jeonnam seoul ulsan
kw com edu emb gov ind net org
ky com edu net org
kz org edu net gov mil com
la int net info edu gov per com org
lb com edu gov net org
lc com net co org edu gov
li
lk gov sch net int com org edu ngo soc web ltd assn grp hotel ac
lr com edu gov org net
ls ac biz co edu gov info net org sc
lt gov
lu
lv com edu gov org mil id net asn conf
ly com net gov plc edu sch med org id
ma co net gov org ac press
mc tm asso
md
me co net org edu ac gov its priv
mg org nom gov prd tm edu mil com co
mh
mk com org net edu gov inf name
ml com edu gouv gov net org presse
mm
mn gov edu org
mo com net org edu gov
mp
mq
mr gov
ms com edu gov net org
mt com edu net org
mu com net org gov ac co or
mv aero biz com coop edu gov info int mil museum name net org pro
mw ac biz co com coop edu gov int museum net org
mx com org gob edu net
my biz com edu gov mil name net org
mz ac adv co edu gov mil net org
na info pro name school or dr us mx ca in cc tv ws mobi co com org
nc asso nom
ne
nf com net per rec web arts firm info other store
ng com edu gov i mil mobi name net org sch
ni ac biz co com edu gob in info int mil net nom org web
nl
no fhs vgs fylkesbibl folkebibl museum idrett priv mil stat dep kommune herad
np
nr biz info gov edu org net com
nu
nz ac co cri geek gen govt health iwi kiwi maori mil net org parliament school
om co com edu gov med museum net org pro
pa ac gob com org sld edu net ing abo med nom
pe edu gob nom mil org com net
pf com org edu
pg
ph com net org gov edu ngo mil i
pk com net edu org fam biz web gov gob gok gon gop gos info
pl com net org aid agro atm auto biz edu gmina gsm info mail miasta media mil nieruchomosci nom pc powiat priv realestate rel sex shop sklep sos szkola targi tm tourism travel turystyka gov waw wroclaw krakow poznan lodz gdansk gdynia katowice lublin szczecin bydgoszcz
pm
pn gov co org edu net
post
pr com net org gov edu isla pro biz info name est prof ac
ps edu gov sec plo com org net
pt net gov org edu int publ com nome
pw co ne or ed go belau
py com coop edu gov mil net org
qa com edu gov mil name net org sch
re asso com nom
ro arts com firm info nom nt org rec store tm www
rs ac co edu gov in org
ru
rw ac co coop gov mil net org
sa com net org gov med pub edu sch
sb com edu gov net org
sc com gov net org edu
sd com net org edu med tv gov info
se a ac b bd brand c d e f fh fhsk fhv g h i k komforb kommunalforbund komvux l lanbib m n naturbruksgymn o org p parti pp press r s t tm u w x y z
sg com net org gov edu per
sh com net gov org mil
si
sj
sk
sl com net edu gov org
sm
sn art com edu gouv org perso univ
so com edu gov me net org
sr
ss biz com edu gov me net org sch
st co com consulado edu embaixada mil net org principe saotome store
su
sv com edu gob org red
sx gov
sy edu gov net mil com org
sz co ac org
tc
td
tf
tg
th ac co go in mi net or
tj ac biz co com edu go gov int mil name net nic org test web
tk
tl gov
tm com co org net nom gov mil edu
tn com ens fin gov ind info intl mincom nat net org perso tourism
to com gov net org edu mil
tr av bbs bel biz com dr edu gen gov info mil k12 kep name net org pol tel tsk tv web
tt co com org net biz info pro int coop jobs mobi travel museum aero name gov edu
tv
tw edu gov mil com net org idv game ebiz club
tz ac co go hotel info me mil mobi ne or sc tv
ua com edu gov in net org cherkassy chernihiv chernivtsi ck cn cr crimea cv dn dnepropetrovsk donetsk dp if kh kharkiv kharkov kherson km kr ks kiev kyiv lg lt lutsk lviv mk mykolaiv nikolaev od odesa odessa pl poltava rivne rovno rv sb sebastopol sm sumy te ternopil uz uzhgorod vinnica vn volyn yalta zaporizhzhe zhitomir zp zt
ug co or ac sc go ne com org
uk ac co gov ltd me net nhs org plc police
us dni fed isa kids nsn
uy com edu gub mil net org
uz co com net org
va
vc com net org gov mil edu
ve arts bib co com e12 edu firm gob gov info int mil net nom org rar rec store tec web
vg
vi co com k12 net org
vn com net org edu gov int ac biz info name pro health id io ai
vu com edu net org
wf
ws com net org gov edu
ye com edu gov net mil org
yt
za ac agric alt co edu gov grondar law mil net ngo nic nis nom org school tm web
zm ac biz co com edu gov info mil net org sch
zw ac co gov mil org
`;

/** Domains whose every child is a suffix. */
export const WILDCARDS = `
bd ck er fk jm kh mm np pg sch.uk kawasaki.jp kitakyushu.jp kobe.jp nagoya.jp sapporo.jp sendai.jp yokohama.jp nom.br
compute.amazonaws.com compute-1.amazonaws.com elb.amazonaws.com
`;

/** Children of the above that are no suffixes. */
export const EXCEPTIONS = `
www.ck city.kawasaki.jp city.kitakyushu.jp city.kobe.jp city.nagoya.jp city.sapporo.jp city.sendai.jp city.yokohama.jp
`;

/** Names that hosting services give to their customers. */
export const HOSTING_SUFFIXES = `
github.io githubusercontent.com gitlab.io bitbucket.io herokuapp.com netlify.app vercel.app vercel.dev now.sh pages.dev
workers.dev r2.dev web.app firebaseapp.com appspot.com run.app a.run.app cloudfunctions.net withgoogle.com blogspot.com
cloudfront.net s3.amazonaws.com elasticbeanstalk.com amplifyapp.com
azurewebsites.net azurestaticapps.net cloudapp.net blob.core.windows.net azureedge.net trafficmanager.net
supabase.co supabase.in supabase.net deno.dev fly.dev onrender.com glitch.me replit.app repl.co
surge.sh ngrok.io ngrok-free.app ngrok.app myshopify.com wixsite.com webflow.io readthedocs.io ondigitalocean.app
uk.com us.com eu.com de.com jpn.com gb.net uk.net se.net co.com dyndns.org no-ip.org duckdns.org edgekey.net akamaized.net
`;
