internal import ORMStorage

extension SubentityReader: LinkedReading {
  func linkedFetch(
    of page: FetchRequest, _ linked: () throws -> [LinkedRequest]
  ) throws -> (any LinkedFetch)? {
    guard let base = base as? any LinkedReading else { return nil }
    var entities = [page.shape.entity]
    // Of each request, the entity whose attributes its rows hold.
    var shown = [page.shape.shownEntity]
    var (translated, rows) = subentities.translated(page)
    var translations = [rows]
    let fetch = try base.linkedFetch(of: translated) {
      try linked().map { link in
        var link = link
        entities.append(link.request.shape.entity)
        shown.append(link.request.shape.shownEntity)
        link.attributes = subentities.names(link.attributes, of: link.request.shape.entity)
        link.parentAttributes = subentities.names(link.parentAttributes, of: shown[link.parent])
        (translated, rows) = subentities.translated(link.request)
        link.request = translated
        translations.append(rows)
        return link
      }
    }
    return fetch.map { SubentityFetch($0, translations, entities, of: self) }
  }
}

/// A linked fetch of roots whose rows are read as their subentities'.
private final class SubentityFetch: LinkedFetch {
  private let base: any LinkedFetch
  /// The translations of the rows of each request; nil for rows that need none.
  private let translations: [RowTranslation?]
  /// The entities that were asked for.
  private let entities: [String]
  private let reader: SubentityReader

  init(
    _ base: any LinkedFetch, _ translations: [RowTranslation?], _ entities: [String],
    of reader: SubentityReader
  ) {
    self.base = base
    self.translations = translations
    self.entities = entities
    self.reader = reader
  }

  func visit<V: RowVisitor>(_ position: Int, _ visitor: inout V) throws {
    try reader.naming(entities[position]) {
      if let rows = translations[position] {
        try rows.visiting(&visitor) { try base.visit(position, &$0) }
      } else {
        try base.visit(position, &visitor)
      }
    }
  }

  func answers(_ position: Int) -> Bool { base.answers(position) }

  func end() { base.end() }
}

extension FetchShape {
  /// The stored name of the entity whose attributes a row of the result begins with.
  fileprivate var shownEntity: String {
    if case .joined(let step, _) = output { step.entity } else { entity }
  }
}

extension Subentities {
  /// The names of attributes of an entity in its root.
  fileprivate func names(_ attributes: [String], of entity: String) -> [String] {
    guard let own = self[entity] else { return attributes }
    return attributes.map { own.attributes[$0] ?? $0 }
  }
}
