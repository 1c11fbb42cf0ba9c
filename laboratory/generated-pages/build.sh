#!/usr/bin/env bash
# Installs the programs, fills them and assembles the sets: bash build.sh OUT
# Needs Debian 12 as root, Python 3.11 with uv, Node 20 with npm, and the registries of Debian, PyPI and npm.
set -u
out=$(realpath -m "$1")
cd "$(dirname "$0")"
export GENERATED=${GENERATED:-/tmp/pages} GENERATED_WORK=${GENERATED:-/tmp/pages}/work GENERATED_RAW=${GENERATED:-/tmp/pages}/raw
mkdir -p "$out" "$GENERATED"/{v,n,work,raw}

apt-get update -q
DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends mhonarc php-cli php-sqlite3 php-mysql php-mbstring php-xml php-intl php-gd php-curl mediawiki mediawiki-skin-greystuff \
    wordpress wordpress-theme-twentytwentyone wordpress-theme-twentytwentytwo wordpress-theme-twentytwentythree mariadb-server redmine redmine-sqlite ruby-sqlite3 postgresql
python() { v=$1; shift; "$GENERATED/v/$v/bin/python" -W ignore "$@"; }
install() { v=$1; shift; uv venv -q --seed "$GENERATED/v/$v" && uv pip install -q --python "$GENERATED/v/$v/bin/python" faker pyyaml "$@"; }
# A program that cannot be installed or filled is reported and left out.
run() { echo "== $*"; v=$1; shift; python "$v" -m "$@" || echo "left out: $*"; }

install base lxml cssselect requests
install machina django-machina 'django<5' setuptools
for site in "en en" "german de" "spanish es" "chinese zh-hans" "italian it" "russian ru"; do run machina programs.machina $site; done
install spirit django-spirit setuptools
for site in "en en" "german de" "french fr" "chinese zh-hans"; do run spirit programs.spirit_forum $site; done
install oscar 'django-oscar[sorl-thumbnail]'
for site in "en en" "german de" "french fr" "spanish es"; do run oscar programs.oscar_shop $site; done
install mezzanine mezzanine cartridge setuptools
(cd "$GENERATED_WORK" && rm -rf shopproj && "$GENERATED/v/mezzanine/bin/mezzanine-project" -a cartridge shopproj)
for lang in en de; do run mezzanine programs.cartridge_shop "$GENERATED_WORK/shopproj" $lang; done
install askbot askbot setuptools
for lang in en de es; do
    site=$GENERATED_WORK/askbot-$lang
    rm -rf "$site" && mkdir -p "$site"
    (cd "$site" && "$GENERATED/v/askbot/bin/askbot-setup" -r "$site" --proj-name ab -e sqlite -d "$site/db.sqlite3" --domain-name askbot.example --language-code $lang --noinput --force --admin-name a --admin-email a@x.example &&
        python askbot manage.py migrate --noinput) >/dev/null
    run askbot programs.askbot_forum "$site" $lang
done
install hyperkitty hyperkitty mailman-hyperkitty 'django<5' whoosh setuptools
run hyperkitty programs.hyperkitty_archives en en
run hyperkitty programs.hyperkitty_archives german de
install pretix pretix setuptools
run pretix programs.pretix_events en en
run pretix programs.pretix_events german de
install easyfaq django-easy-faq setuptools
run easyfaq programs.easy_faq easyfaq en
install mkdocs mkdocs mkdocs-material mkdocs-bootswatch mkdocs-cinder mkdocs-windmill mkdocs-ivory mkdocs-gitbook mkdocs-terminal mkdocs-rtd-dropdown mkdocs-bootstrap4 mkdocs-dracula-theme mkdocs-nature \
    mkdocs-windows-98 mkdocs-simple-blog mkdocs-carbon mkdocs-shadcn mkdocs-bulma-theme mkdocs-torillic mkdocs-primer setuptools
run mkdocs programs.mkdocs_sites
install sphinx sphinx myst-parser sphinx-rtd-theme furo pydata-sphinx-theme sphinx-book-theme shibuya sphinxawesome-theme insipid-sphinx-theme sphinx-wagtail-theme sphinx-nefertiti piccolo-theme sphinx-documatt-theme setuptools
run sphinx programs.sphinx_sites

mkdir -p "$GENERATED/n/hexo" "$GENERATED/n/nodebb" "$GENERATED/n/evershop"
echo '{"name":"h","version":"1.0.0","private":true,"hexo":{"version":""}}' > "$GENERATED/n/hexo/package.json"
npm --prefix "$GENERATED/n/hexo" install --no-audit --no-fund --legacy-peer-deps hexo hexo-generator-{index,archive,category,tag,search} hexo-renderer-{ejs,pug,stylus,marked,sass,swig,inferno} hexo-component-inferno inferno inferno-create-element \
    bulma-stylus hexo-pagination hexo-wordcount hexo-theme-{butterfly,fluid,icarus,keep,landscape,next,redefine,stellar,solitude,reimu,kratos-rebirth,async,anzhiyu,a4,yun}
HEXO_FOLDER=$GENERATED/n/hexo run base programs.hexo_sites
npm --prefix "$GENERATED/n/nodebb" install --no-audit --no-fund --legacy-peer-deps --ignore-scripts benchpressjs nodebb-theme-{harmony,persona,lavender,peace,vanilla,niuniu}
(cd "$GENERATED/n/nodebb" && npm pack nodebb@1.4.0 && tar xzf nodebb-1.4.0.tgz)  # for its words in several languages
NODEBB_FOLDER=$GENERATED/n/nodebb run base programs.nodebb

run base programs.mhonarc_archives
run base programs.mediawiki en de
service mariadb start
mysql -e "create database if not exists wordpress_gen character set utf8mb4; create user if not exists wordpress_gen@localhost identified by 'generated'; grant all on wordpress_gen.* to wordpress_gen@localhost"
run base programs.wordpress
mkdir -p "$GENERATED_WORK/redmine"
printf 'production:\n  adapter: sqlite3\n  database: %s/redmine/db.sqlite3\n  timeout: 30000\n' "$GENERATED_WORK" > /etc/redmine/default/database.yml
(cd /usr/share/redmine && export RAILS_ENV=production REDMINE_LANG=en && bundle exec rake db:migrate && bundle exec rake redmine:load_default_data) >/dev/null
run base programs.redmine en de fr

install plone Products.CMFPlone
(cd "$GENERATED_WORK" && rm -rf plone && "$GENERATED/v/plone/bin/mkwsgiinstance" -d plone -u admin:admin)
PLONE_BIN=$GENERATED/v/plone/bin run base programs.plone en
npm --prefix "$GENERATED/n/evershop" install --no-audit --no-fund @evershop/evershop concat-stream
mkdir -p "$GENERATED/postgres" && chown postgres "$GENERATED/postgres"
su postgres -c "/usr/lib/postgresql/15/bin/initdb -D $GENERATED/postgres/data -A trust; /usr/lib/postgresql/15/bin/pg_ctl -D $GENERATED/postgres/data -o '-p 5544 -k $GENERATED/postgres' -l $GENERATED/postgres/log start" >/dev/null
su postgres -c "psql -h $GENERATED/postgres -p 5544 -c 'create database evershop'"
mkdir -p "$GENERATED"/n/evershop/{config,media,public,themes,extensions,translations}
echo '{"shop":{"language":"en","currency":"USD","homeUrl":"http://127.0.0.1:3000"}}' > "$GENERATED/n/evershop/config/default.json"
(cd "$GENERATED/n/evershop" && DB_HOST=127.0.0.1 DB_PORT=5544 DB_NAME=evershop DB_USER=postgres DB_PASSWORD=x DB_SSLMODE=disable NODE_ENV=production npx evershop build) >/dev/null
EVERSHOP_FOLDER=$GENERATED/n/evershop run base programs.evershop_shop

python base -m generator.assemble "$out"
