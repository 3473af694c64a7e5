import Foundation
import ORM

/// A shop with what it offers.
@Persistable
public struct Shop: Hashable {
  /// The key, given by Strata.
  @PrimaryKey(.uuidV7) public var id: UUID = .unassigned
  /// The name.
  public var name: String
  /// The snacks on offer.
  @Relationship(inverse: \Offer.shop, delete: .cascade) public var offers: ToMany<Offer> = ToMany()

  /// The number of snacks on offer.
  @Derived(.count(of: \Shop.offers), .indexed) public var offerCount = 0

  /// Makes a shop.
  public init(name: String) { self.name = name }
}

/// An article at a price, under a key of two attributes.
@Persistable(indexes: [["shop_id", .descending("price")]])
public struct Offer: Hashable {
  /// Article and number.
  public struct ID: CompositeKey {
    /// The article.
    public var article: String
    /// The number.
    public var number: Int
    /// Makes a key.
    public init(article: String, number: Int) {
      self.article = article
      self.number = number
    }
  }
  /// Article and number.
  @PrimaryKey public var id: ID
  /// The price.
  @Attribute(.indexed) public var price: Decimal
  /// The state of the offer.
  public var isOpen = true
  /// The numbers of each size.
  @Attribute(.json) public var sizes: [String: Int] = [:]
  /// The bar that offers it.
  public var shop: ToOne<Shop> = ToOne()

  static let rules: EntityPart<Offer> =
    .rule("price", "nothing open is for nothing") { $0.price > 0 || !$0.isOpen }
    .template("open", "isOpen == true", sortedBy: "-price")

  /// Makes an offer.
  public init(_ article: String, _ number: Int, price: Decimal) {
    id = ID(article: article, number: number)
    self.price = price
  }
}
