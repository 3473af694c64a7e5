import FoundationEssentials
import ORM

/// An entity whose contents lie outside of its rows and whose rows obey a rule.
///
/// A store that has it beside the entity that is measured shows that nobody else pays for it.
package struct Document: Codable, PrimaryKeyed {
  package var id: Int64 = 0
  package var title = ""
  package var pages = 0
  package var contents = Data()

  package static let entity = Entity<Document>("Document") {
    .key("id", \.id, .generated)
      .attribute("title", \.title)
      .attribute("pages", \.pages)
      .attribute("contents", \.contents, .external(threshold: 1000))
      .rule("pages", "must have pages") { $0.pages >= 0 }
  }
}

/// A kind of document, whose rows are in the parent's table.
package struct Contract: Codable, PrimaryKeyed {
  package var id: Int64 = 0
  package var title = ""
  package var pages = 0
  package var contents = Data()
  package var party = ""

  package static let entity = Entity<Contract>("Contract", parent: Document.self) {
    .key("id", \.id, .generated)
      .attribute("title", \.title)
      .attribute("pages", \.pages)
      .attribute("contents", \.contents, .external(threshold: 1000))
      .attribute("party", \.party)
  }
}
