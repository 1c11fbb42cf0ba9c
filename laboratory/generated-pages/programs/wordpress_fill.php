<?php
// Fills a WordPress from a JSON file of posts: php wordpress_fill.php WORDPRESS DATA.json
[$_, $root, $data] = $argv;
define('WP_INSTALLING', !is_file($root . '/installed'));
$_SERVER['HTTP_HOST'] = '127.0.0.1:8452';
require $root . '/wp-load.php';
require_once ABSPATH . 'wp-admin/includes/upgrade.php';
if (WP_INSTALLING) {
    wp_install('Generated', 'admin', 'a@x.example', true, '', 'generated');
    touch($root . '/installed');
}
remove_all_filters('content_save_pre');
remove_all_filters('title_save_pre');
remove_all_filters('excerpt_save_pre');
$site = json_decode(file_get_contents($data), true);
foreach (get_posts(['numberposts' => -1, 'post_type' => ['post', 'page'], 'post_status' => 'any']) as $old) {
    wp_delete_post($old->ID, true);
}
update_option('blogname', $site['name']);
update_option('blogdescription', $site['description']);
update_option('posts_per_page', 8);
$made = [];
foreach ($site['posts'] as $number => $post) {
    $category = wp_create_term($post['category'], 'category');
    $id = wp_insert_post(['post_title' => $post['title'], 'post_content' => $post['content'], 'post_excerpt' => $post['excerpt'] ?? '', 'post_type' => $post['type'], 'post_status' => 'publish', 'post_name' => "p$number",
        'post_author' => 1, 'post_date' => $post['date'], 'post_category' => [(int) (is_array($category) ? $category['term_id'] : $category)], 'tags_input' => $post['tags'], 'comment_status' => 'open']);
    foreach ($post['comments'] as $comment) {
        $parent = wp_insert_comment(['comment_post_ID' => $id, 'comment_author' => $comment['author'], 'comment_content' => $comment['text'], 'comment_approved' => 1, 'comment_parent' => $comment['reply'] ? ($parent ?? 0) : 0]);
    }
    $made[] = $id;
}
file_put_contents($data . '.ids', json_encode($made));
