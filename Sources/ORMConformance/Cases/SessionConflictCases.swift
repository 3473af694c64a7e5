internal import FoundationEssentials
internal import ORM
internal import ORMCore
internal import ORMSessions

/// A session with objects that it and another changed.
private struct Contest {
  let store: any Store
  let session: Session
  /// Changed here and there, in attributes that both share and in others.
  let snack: Live<Snack>
  let article: Live<Article>

  /// Both sides change the name or the title; this one also price and rank, the other stock.
  init(_ context: ConformanceContext, _ policy: ConflictPolicy, bothChange: Bool = true) throws {
    store = try context.open(Snack.self, Article.self)
    try store.insert(Snack(1, "base", price: 1, stock: 1))
    try store.insert(Article(1, "base", rank: 1))
    session = Session(store)
    session.conflictPolicy = policy
    snack = try context.unwrap(try session.find(Snack.self, 1), "the snack")
    article = try context.unwrap(try session.find(Article.self, 1), "the article")
    if bothChange {
      snack.name = "mine"
      article.title = "mine"
    }
    snack.price = 2
    article.rank = 2
    try store.update(Snack.all) {
      $0.name = "theirs"
      $0.stock = 5
    }
    try store.update(Article.all) { $0.title = "theirs" }
  }

  var stored: Snack? { get throws { try store.find(Snack.self, 1) } }
  var storedArticle: Article? { get throws { try store.find(Article.self, 1) } }
}

extension ConformanceCase {
  /// Section 11: objects that a session and another changed.
  static let sessionConflicts: [ConformanceCase] = [
    ConformanceCase("a conflict is reported by attribute", "11.12") { context in
      let contest = try Contest(context, .throw)
      let session = contest.session
      let error = try context.expectError(.conflict) { try session.save() }
      try context.expectEqual(error.conflicts.map(\.entity), ["Snack", "Article"])
      let snack = try context.unwrap(error.conflicts.first, "the snack")
      try context.expectEqual(snack.key, [.int(1)])
      try context.expectEqual(snack.kind, .changed)
      try context.expectEqual(
        snack.attributes,
        [
          ConflictedAttribute(
            name: "name", base: .string("base"), mine: .string("mine"), theirs: .string("theirs"))
        ])
      let article = try context.unwrap(error.conflicts.last, "the article")
      let title = article.attributes.first { $0.name == "title" }
      try context.expectEqual(title?.theirs, .string("theirs"))
      let rank = article.attributes.first { $0.name == "rank" }
      try context.expectEqual(rank?.mine, .int(2))
      try context.expectEqual(rank?.base, rank?.theirs)
      let version = article.attributes.first { $0.name == "version" }
      try context.expectEqual(version?.base, .int(1))
      try context.expectEqual(version?.theirs, .int(2))
      try context.expectEqual(contest.snack.changedAttributes, ["name", "price"])
      try context.expectEqual(try contest.stored?.name, "theirs", "nothing was written")
      try session.refresh(contest.snack)
      try session.refresh(contest.article)
      try context.expectEqual(contest.snack.name, "theirs")
      contest.snack.name = "again"
      contest.article.title = "again"
      try session.save()
      try context.expectEqual(try contest.stored?.name, "again")
      try context.expectEqual(contest.article.version, 3, "managed attributes come back")
    },
    ConformanceCase("without a version other attributes do not conflict", "11.12") { context in
      let contest = try Contest(context, .throw, bothChange: false)
      let error = try context.expectError(.conflict) { try contest.session.save() }
      try context.expectEqual(error.conflicts.map(\.entity), ["Article"], "the version differs")
      try contest.session.refresh(contest.article)
      try contest.session.save()
      try context.expectEqual(
        try contest.stored, Snack(1, "theirs", price: 2, stock: 5), "both changes stand")
      try context.expectEqual(contest.snack.value, try contest.stored, "and come back")
      let other = Session(contest.store)
      try other.detectConflicts(on: \Snack.stock)
      let snack = try context.unwrap(try other.find(Snack.self, 1), "the snack")
      snack.price = 7
      try contest.store.update(Snack.all) { $0.taste = "hot" }
      try other.save()
      snack.price = 8
      try contest.store.update(Snack.all) { $0.stock = 9 }
      let conflict = try context.expectError(.conflict) { try other.save() }.conflicts.first
      try context.expectEqual(conflict?.attributes.map(\.name), ["stock"])
      let plain = Session(contest.store)
      let same = try context.unwrap(try plain.find(Snack.self, 1), "the snack")
      same.name = "both"
      try contest.store.update(Snack.all) { $0.name = "both" }
      try plain.save()
      try context.expect(!plain.hasChanges, "the same value on both sides is no conflict")
    },
    ConformanceCase("the store wins attribute by attribute", "11.12") { context in
      let contest = try Contest(context, .storeWins)
      try contest.session.save()
      try context.expectEqual(try contest.stored, Snack(1, "theirs", price: 2, stock: 5))
      try context.expectEqual(contest.snack.value, try contest.stored)
      try context.expectEqual(try contest.storedArticle?.title, "theirs")
      try context.expectEqual(try contest.storedArticle?.rank, 2)
      try context.expectEqual(contest.article.version, 3)
      try context.expect(!contest.session.hasChanges, "brought together")
    },
    ConformanceCase("the session wins attribute by attribute", "11.12") { context in
      let contest = try Contest(context, .sessionWins)
      try contest.session.save()
      try context.expectEqual(try contest.stored, Snack(1, "mine", price: 2, stock: 5))
      try context.expectEqual(contest.snack.value, try contest.stored)
      try context.expectEqual(try contest.storedArticle?.title, "mine")
      try context.expectEqual(contest.article.version, 3)
    },
    ConformanceCase("a merge takes what one side changed and asks for the rest", "11.12") {
      context in
      let plain = try Contest(context, .merge(), bothChange: false)
      try plain.session.save()
      try context.expectEqual(try plain.stored, Snack(1, "theirs", price: 2, stock: 5))
      try context.expectEqual(try plain.storedArticle?.title, "theirs")
      try context.expectEqual(try plain.storedArticle?.rank, 2)
      let refused = try Contest(context, .merge())
      try context.expectError(.conflict) { try refused.session.save() }
      try context.expectEqual(refused.snack.name, "mine", "nothing is lost")
      let asked = try Contest(
        context,
        .merge { conflict, attribute in
          if conflict.entity == "Article" { return .theirs }
          return .value(.string("\(attribute.name) of both"))
        })
      try asked.session.save()
      try context.expectEqual(try asked.stored, Snack(1, "name of both", price: 2, stock: 5))
      try context.expectEqual(asked.snack.name, "name of both")
      try context.expectEqual(try asked.storedArticle?.title, "theirs")
      try context.expectEqual(asked.article.rank, 2)
      for (choice, name) in [
        (ConflictChoice.mine, "mine"), (.theirs, "theirs"), (.base, "base"),
      ] {
        let contest = try Contest(context, .merge { _, _ in choice })
        try contest.session.save()
        try context.expectEqual(try contest.stored?.name, name)
        try context.expectEqual(contest.snack.value, try contest.stored)
      }
      let refusing = try Contest(context, .merge { _, _ in .refuse })
      try context.expectError(.conflict) { try refusing.session.save() }
    },
    ConformanceCase("deleted there and changed here is a conflict, never an insert", "11.12") {
      context in
      for policy in [ConflictPolicy.throw, .sessionWins, .merge { _, _ in .mine }] {
        let store = try context.open(Snack.self)
        try store.insert(Snack(1, "base"))
        let session = Session(store)
        session.conflictPolicy = policy
        let snack = try context.unwrap(try session.find(Snack.self, 1), "the object")
        snack.name = "mine"
        try store.delete(Snack.self, id: 1)
        let error = try context.expectError(.conflict) { try session.save() }
        try context.expectEqual(error.conflicts.first?.kind, .deletedInStore)
        try context.expectEqual(error.conflicts.first?.attributes.map(\.name), ["name"])
        try context.expectEqual(try store.count(Snack.self), 0)
        try context.expect(snack.isStale && !snack.isDeleted, "stale")
        session.conflictPolicy = .storeWins
        try session.save()
        try context.expect(snack.isDeleted && !session.hasChanges, "the store won")
        try context.expectEqual(try store.count(Snack.self), 0)
      }
    },
    ConformanceCase("deleted here and changed there is a conflict", "11.12") { context in
      for isVersioned in [false, true] {
        let store = try context.open(Snack.self, Article.self)
        try store.insert(Snack(1, "base"))
        try store.insert(Article(1, "base"))
        let session = Session(store)
        func remove() throws {
          if isVersioned {
            try session.delete(try context.unwrap(try session.find(Article.self, 1), "it"))
          } else {
            try session.delete(try context.unwrap(try session.find(Snack.self, 1), "it"))
          }
        }
        try remove()
        try store.update(Snack.all) { $0.stock = 4 }
        try store.update(Article.all) { $0.rank = 4 }
        let error = try context.expectError(.conflict) { try session.save() }
        try context.expectEqual(error.conflicts.first?.kind, .deletedInSession)
        session.conflictPolicy = .storeWins
        try session.save()
        try context.expectEqual(try store.count(Snack.self) + store.count(Article.self), 2)
        if isVersioned {
          try context.expectEqual(try session.find(Article.self, 1)?.rank, 4, "it stays")
        } else {
          try context.expectEqual(try session.find(Snack.self, 1)?.stock, 4, "it stays")
        }
        try remove()
        try store.update(Snack.all) { $0.stock = 5 }
        try store.update(Article.all) { $0.rank = 5 }
        session.conflictPolicy = .sessionWins
        try session.save()
        try context.expectEqual(try store.count(Snack.self) + store.count(Article.self), 1)
      }
    },
    ConformanceCase("deleted on both sides is no conflict", "11.12") { context in
      let store = try context.open(Snack.self)
      try store.insert(Snack(1, "base"))
      let session = Session(store)
      let snack = try context.unwrap(try session.find(Snack.self, 1), "the object")
      try session.delete(snack)
      try store.delete(Snack.self, id: 1)
      try session.save()
      try context.expect(snack.isDeleted && !session.hasChanges, "gone")
      // Of an object that was changed, and whose delete by others is known.
      try store.insert(Snack(2, "base"))
      let changed = try context.unwrap(try session.find(Snack.self, 2), "the second")
      changed.name = "mine"
      try store.delete(Snack.self, id: 2)
      try context.expect(changed.isStale, "stale")
      try session.delete(changed)
      try context.expect(changed.isDeleted && !session.hasChanges, "nothing is left to delete")
      session.undo()
      try context.expect(changed.isDeleted && !session.hasChanges, "not brought back")
    },
    ConformanceCase("a to-one of the row conflicts as an attribute", "11.12") { context in
      let store = try context.open(Team.self, Coach.self, Player.self, League.self)
      try store.insert([Team(1, "a"), Team(2, "b"), Team(3, "c")])
      try store.insert(Player(1, "Ann", team: .key(1)))
      let session = Session(store)
      let ann = try context.unwrap(try session.find(Player.self, 1), "Ann")
      ann.team = .key(2)
      try context.expectEqual(ann.changedAttributes, ["team"])
      try context.expectEqual(ann.changedValues["team_id"]?.new, .int(2))
      try store.save(Player(1, "Ann", team: .key(3)))
      let error = try context.expectError(.conflict) { try session.save() }
      try context.expectEqual(
        error.conflicts.first?.attributes,
        [ConflictedAttribute(name: "team_id", base: .int(1), mine: .int(2), theirs: .int(3))])
      session.conflictPolicy = .sessionWins
      try session.save()
      try context.expectEqual(try store.find(Player.self, 1)?.team.id, 2)
    },
  ]
}
