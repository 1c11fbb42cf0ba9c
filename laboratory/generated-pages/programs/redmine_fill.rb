# Fills a Redmine from data.json and writes its pages: rails runner redmine_fill.rb DATA.json OUT
data, out = JSON.parse(File.read(ARGV[0])), ARGV[1]
User.current = admin = User.find_by(login: 'admin')
Setting.default_language = data['lang']
Setting.text_formatting = 'textile'
Setting.login_required = '0'
Setting.host_name = 'x.example'
ActionMailer::Base.perform_deliveries = false
[Message, Issue, News, WikiPage, Board, Version, Project].each(&:destroy_all)
users = data['users'].map.with_index do |name, n|
  User.find_by(login: "u#{n}") || User.new(firstname: name[0, 20].split.first || 'A', lastname: (name.split.last || 'B')[0, 25], mail: "u#{n}@x.example", language: data['lang']).tap { |u| u.login = "u#{n}"; u.password = u.password_confirmation = 'generated-pages'; u.save!(validate: false) }
end
Role.anonymous.add_permission!(:view_issues, :view_messages, :view_news, :view_wiki_pages, :view_files, :comment_news)
project = Project.create!(name: data['name'], identifier: 'site', description: data['description'], is_public: true, enabled_module_names: %w[issue_tracking boards news wiki])
project.trackers = Tracker.all
users.each { |u| Member.create!(principal: u, project: project, roles: [Role.givable.first]) rescue nil }
wiki = project.wiki || Wiki.create!(project: project, start_page: 'Wiki')
paths = []
data['boards'].each do |b|
  board = Board.create!(project: project, name: b['name'], description: b['description'])
  b['topics'].each do |t|
    topic = nil
    t['posts'].each_with_index do |text, n|
      message = Message.new(board: board, subject: (n.zero? ? '' : 'RE: ') + t['title'], content: text, parent: topic)
      message.author = users.sample(random: Random.new(n))
      message.save!(validate: false)
      topic ||= message
    end
    paths << ['forum', "/boards/#{board.id}/topics/#{topic.id}", 'forum']
  end
  paths << ['forum', "/projects/site/boards/#{board.id}", 'listing']
end
data['issues'].each do |i|
  issue = Issue.new(project: project, tracker: Tracker.first, author: users.sample, subject: i['title'], description: i['posts'].first, status: IssueStatus.first, priority: IssuePriority.first)
  issue.save!(validate: false)
  i['posts'].drop(1).each do |text|
    issue = Issue.find(issue.id)
    journal = issue.init_journal(users.sample, text)
    issue.save!(validate: false)
  end
  paths << ['forum', "/issues/#{issue.id}", 'issue']
end
data['news'].each do |n|
  news = News.create!(project: project, author: users.sample, title: n['title'][0, 60], summary: n['summary'], description: n['text'])
  n['comments'].each { |c| news.comments << Comment.new(author: users.sample, content: c) }
  paths << ['article', "/news/#{news.id}", 'article']
end
data['wiki'].each_with_index do |w, n|
  page = WikiPage.new(wiki: wiki, title: "Page_#{n}")
  page.content = WikiContent.new(page: page, text: w, author: admin)
  page.save!
  paths << ['wiki', "/projects/site/wiki/Page_#{n}", 'documentation']
end
paths += [['list', '/news', 'listing'], ['list', '/projects/site/news', 'listing'], ['list', '/issues', 'issues'], ['list', '/projects/site/activity', 'activity']]
User.current = User.anonymous
app = ActionDispatch::Integration::Session.new(Rails.application)
app.host! 'x.example'
made = paths.each_with_index.map do |(kind, path, type), n|
  app.get path
  File.binwrite("#{out}/#{n}.html", app.response.body)
  { kind: kind, path: path, type: type, name: "#{n}.html", status: app.response.status }
end
File.write("#{out}/pages.json", made.to_json)
