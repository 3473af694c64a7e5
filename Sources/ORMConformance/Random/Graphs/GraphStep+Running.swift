internal import ORM

extension GraphStep {
  /// Does the step to a store through the public API.
  func run(on store: any Store) throws {
    switch self {
    case .save(let id, let label, let sets):
      var node = Node(id)
      node.label = label
      for (relationship, targets) in sets { node.set(relationship, to: targets) }
      try store.save(node)
    case .graph(let root, let children, let label, let badge, let circles):
      var node = Node(root)
      node.label = label
      node.children = ToMany(
        children.map { id in
          var child = Node(id)
          child.label = label
          child.notes = [Remark(id)]
          return child
        })
      node.badge = badge.map { .to(Badge($0)) } ?? nil
      node.circles = ToMany(circles.map { Circle($0) })
      try store.save(node)
    case .plain(let objects):
      try store.write { tx in
        for object in objects { try Self.save(object, tx) }
      }
    case .parent(let child, let parent):
      var node = Node(child)
      node.parent = parent.map { .key($0) } ?? nil
      try store.save(node)
    case .referrer(let badge, let referrer):
      var badge = Badge(badge)
      badge.referrer = referrer.map { .key($0) } ?? nil
      try store.save(badge)
    case .members(let circle, let members):
      var circle = Circle(circle)
      circle.members = .keys(members)
      try store.save(circle)
    case .attach(let relationship, let targets, let owner):
      try store.write { try Self.attach(relationship, targets, Node(owner), $0) }
    case .detach(let relationship, let targets, let owner):
      try store.write { try Self.detach(relationship, targets, Node(owner), $0) }
    case .change(let relationship, let changes, let owner, let label):
      var node = Node(owner)
      node.label = label
      switch relationship {
      case .children: Self.make(changes, in: &node.children)
      case .circles: Self.make(changes, in: &node.circles)
      case .notes: Self.make(changes, in: &node.notes)
      case .marks: Self.make(changes, in: &node.marks)
      case .badge, .nulled, .following, .denying, .dangling: break
      }
      try store.save(node)
    case .delete(let object):
      switch object.entity {
      case .node: try store.delete(Node.self, id: object.id)
      case .badge: try store.delete(Badge.self, id: object.id)
      case .circle: try store.delete(Circle.self, id: object.id)
      case .note: try store.delete(Remark.self, id: object.id)
      case .mark: try store.delete(Mark.self, id: object.id)
      }
    case .deleteSome(let entity, let bound):
      switch entity {
      case .node: try store.delete(Node.all.where { $0.id < bound })
      case .badge: try store.delete(Badge.all.where { $0.id < bound })
      case .circle: try store.delete(Circle.all.where { $0.id < bound })
      case .note: try store.delete(Remark.all.where { $0.id < bound })
      case .mark: try store.delete(Mark.all.where { $0.id < bound })
      }
    case .deleteAll(let entity):
      switch entity {
      case .node: try store.deleteAll(Node.self)
      case .badge: try store.deleteAll(Badge.self)
      case .circle: try store.deleteAll(Circle.self)
      case .note: try store.deleteAll(Remark.self)
      case .mark: try store.deleteAll(Mark.self)
      }
    }
  }

  private static func make<Target>(_ changes: [Change], in links: inout ToMany<Target>)
  where Target.ID == Int64 {
    for change in changes {
      switch change {
      case .append(let id): links.append(key: id)
      case .insert(let id, let index): links.insert(key: id, at: index)
      case .remove(let id): links.remove(key: id)
      }
    }
  }

  private static func save(_ object: NaiveGraph.Object, _ tx: WriteTransaction) throws {
    switch object.entity {
    case .node: try tx.save(Node(object.id))
    case .badge: try tx.save(Badge(object.id))
    case .circle: try tx.save(Circle(object.id))
    case .note: try tx.save(Remark(object.id))
    case .mark: try tx.save(Mark(object.id))
    }
  }

  private static func attach(
    _ relationship: NaiveGraph.Relationship, _ ids: [Int64], _ node: Node, _ tx: WriteTransaction
  ) throws {
    switch relationship {
    case .children: try tx.attach(ids, to: node.id, \Node.children)
    case .circles: try tx.attach(ids, to: node.id, \Node.circles)
    case .notes: try tx.attach(ids, to: node.id, \Node.notes)
    case .marks: try tx.attach(ids, to: node.id, \Node.marks)
    case .badge, .nulled, .following, .denying, .dangling: break
    }
  }

  private static func detach(
    _ relationship: NaiveGraph.Relationship, _ ids: [Int64], _ node: Node, _ tx: WriteTransaction
  ) throws {
    switch relationship {
    case .children: try tx.detach(ids, from: node.id, \Node.children)
    case .circles: try tx.detach(ids, from: node.id, \Node.circles)
    case .notes: try tx.detach(ids, from: node.id, \Node.notes)
    case .marks: try tx.detach(ids, from: node.id, \Node.marks)
    case .badge, .nulled, .following, .denying, .dangling: break
    }
  }
}

extension Node {
  /// Sets links by key.
  fileprivate mutating func set(_ relationship: NaiveGraph.Relationship, to ids: [Int64]) {
    switch relationship {
    case .children: children = .keys(ids)
    case .circles: circles = .keys(ids)
    case .notes: notes = .keys(ids)
    case .marks: marks = .keys(ids)
    case .badge: badge = ids.first.map { .key($0) } ?? nil
    case .nulled: nulled = ids.first.map { .key($0) } ?? nil
    case .following: following = ids.first.map { .key($0) } ?? nil
    case .denying: denying = ids.first.map { .key($0) } ?? nil
    case .dangling: dangling = ids.first.map { .key($0) } ?? nil
    }
  }
}
